import type { Time } from "./time.ts";

/** Waits for work no longer than a limit or an abort; gives `undefined` then. */
export async function within<T>(
  work: Promise<T>,
  limitMs: number,
  time: Time,
  signal: AbortSignal | undefined,
): Promise<{ readonly value: T } | undefined> {
  const waiting = new AbortController();
  const cancel = () => waiting.abort();
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const over = time.sleep(limitMs, waiting.signal).then(() => undefined);
    return await Promise.race([work.then((value) => ({ value })), over]);
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}
