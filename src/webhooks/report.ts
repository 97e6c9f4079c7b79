import type { Settings } from "./settings.ts";
import type { Webhook } from "./webhook.ts";

/**
 * Tells the merchant of a delivery that was refused (`warn`) or that failed on this side (`error`). A
 * reporter that fails must not change what the service is answered.
 */
export async function report(
  { logger, onError }: Settings,
  level: "warn" | "error",
  error: unknown,
  webhook?: Webhook,
): Promise<void> {
  // Without a logger and onError, a failure of the merchant's own code would go unseen.
  const log = logger ?? (level === "error" && !onError ? console : undefined);
  const what = level === "warn" ? "was refused" : "failed";
  try {
    await log?.[level](`A webhook delivery ${what}. ${error}`, { error });
  } catch {}
  try {
    await onError?.(error, webhook);
  } catch {}
}
