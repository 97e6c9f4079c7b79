import { WebhookVerificationError } from "../errors/webhook-verification-error.ts";
import type { Delivery } from "./delivery.ts";
import type { Settings } from "./settings.ts";

/** Whether the cause of a failure is worth looking for: it can be found, and somebody will read it. */
export function isExplicable(error: unknown, { logger, onError }: Settings): boolean {
  if (logger === undefined && onError === undefined) return false;
  return error instanceof WebhookVerificationError && error.reason === "signature_mismatch";
}

/** The refusal again with its cause in the message, or the given one where none was found. */
export async function explain(
  error: unknown,
  delivery: Delivery,
  secrets: readonly Uint8Array[],
): Promise<unknown> {
  try {
    // Loaded only now: most receivers never need it.
    const { explainMismatch } = await import("./diagnosis.ts");
    return await explainMismatch(delivery, secrets);
  } catch {
    return error;
  }
}
