import { realTime } from "../../http/time.ts";

/** The waits before retries double from the first to the last. */
const retry = { firstMs: 1_000, lastMs: 64_000 };

/**
 * Loads a part of the element that the page can do without. Retries for two minutes, because networks recover: webpack,
 * Firefox and Safari then request the module again. Chromium remembers the failure until the page is reloaded; a URL with
 * another query would help, but would also evade the integrity that an import map demands. Instead of rejecting, webpack's
 * `import` throws, for example where Trusted Types forbid its script tags.
 *
 * @param onFail Called after the first failure.
 * @returns Undefined if all attempts failed.
 */
export async function load<Module>(
  module: () => Promise<Module>,
  onFail?: () => void,
): Promise<Module | undefined> {
  for (let waitMs = retry.firstMs; ; waitMs *= 2) {
    try {
      return await module();
    } catch {
      if (waitMs === retry.firstMs) onFail?.();
      if (waitMs > retry.lastMs) return undefined;
      await realTime.sleep(waitMs);
    }
  }
}
