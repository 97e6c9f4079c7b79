import { WebhookVerificationError } from "../errors/webhook-verification-error.ts";
import type { Delivery } from "./delivery.ts";
import { notAnEvent, readEvent } from "./event.ts";
import { checkOption } from "./option-check.ts";
import { type RawBody, toText } from "./raw-body.ts";
import type { Settings } from "./settings.ts";
import { VerifiedWebhook, type Webhook } from "./webhook.ts";

/** The last steps, once a secret matched the signature: age, then content. */
export function admit(
  delivery: Delivery,
  secretIndex: number,
  settings: Settings,
  deliveryKey: string | ((text: string) => string),
): Webhook {
  const { timestampMs, hints } = delivery;
  checkAge(timestampMs, settings);
  const text = decode(delivery.body);
  const { event, data } = readEvent(text);
  const facts = { event, data, timestamp: new Date(timestampMs), secretIndex, hints };
  const key = typeof deliveryKey === "string" ? deliveryKey : () => deliveryKey(text);
  // The types of `data` are the service's word, as those of every answer are.
  return new VerifiedWebhook(facts, text, key) as unknown as Webhook;
}

function checkAge(timestampMs: number, { toleranceMs, now }: Settings): void {
  const ageMs = Number(now()) - timestampMs;
  checkOption("now", !Number.isNaN(ageMs), "a function that returns a valid Date");
  if (Math.abs(ageMs) <= toleranceMs) return;
  const seconds = Math.ceil(Math.abs(ageMs) / 1000);
  const [reason, when, cure] =
    ageMs > 0
      ? (["timestamp_too_old", "ago", "fast; if not, this may be a replay"] as const)
      : (["timestamp_too_new", "in the future", "slow"] as const);
  throw new WebhookVerificationError(
    reason,
    `The delivery was signed ${seconds} seconds ${when}, and toleranceSeconds is ` +
      `${toleranceMs / 1000}. Check whether this machine's clock is ${cure}.`,
  );
}

function decode(body: RawBody): string {
  try {
    return toText(body);
  } catch {
    throw notAnEvent("invalid_json", "UTF-8");
  }
}

/** The refusal of a delivery that no secret matches, with the cause where one was found. */
export function mismatch(
  cause = "Check that the endpoint's webhook secret belongs to this environment, and that the body " +
    "is handed over exactly as received.",
): WebhookVerificationError {
  return new WebhookVerificationError(
    "signature_mismatch",
    `No configured secret matches the signature. ${cause}`,
  );
}
