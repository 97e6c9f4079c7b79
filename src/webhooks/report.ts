import type { Settings } from "./settings.ts";
import type { Webhook } from "./webhook.ts";

/** Tells the merchant of a delivery that was refused (`warn`) or that failed on this side (`error`). */
export async function report(
  { logger, onError }: Settings,
  level: "warn" | "error",
  error: unknown,
  webhook?: Webhook,
): Promise<void> {
  const log = () => {
    if (level === "warn") logger?.warn(`A webhook delivery was refused. ${error}`, { error });
    // Without a logger and onError, a failure of the merchant's own code would go unseen.
    else if (logger || !onError) {
      (logger ?? console).error("A webhook delivery could not be handled.", { error });
    }
  };
  for (const tell of [log, () => onError?.(error, webhook)]) {
    try {
      await tell();
    } catch {
      // A reporter that fails must not change what the service is answered.
    }
  }
}
