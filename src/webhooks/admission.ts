import { WebhookVerificationError } from "../errors.ts";
import type { Delivery } from "./delivery.ts";
import { readEvent } from "./event.ts";
import { checkOption } from "./option-check.ts";
import type { RawBody } from "./raw-body.ts";
import type { Settings } from "./settings.ts";
import { VerifiedWebhook, type Webhook } from "./webhook.ts";

/** The last steps, once a secret matched the signature: age, then content. */
export function admit(
  { timestampMs, hints, body }: Delivery,
  secretIndex: number,
  settings: Settings,
  deliveryKey: (text: string) => string,
): Webhook {
  checkAge(timestampMs, settings);
  const { text, event, data } = readEvent(body);
  const facts = { event, data, timestamp: new Date(timestampMs), secretIndex, hints };
  // The types of `data` are the service's word, as those of every answer are.
  return new VerifiedWebhook(facts, text, deliveryKey) as unknown as Webhook;
}

function checkAge(timestampMs: number, { toleranceSeconds, now }: Settings): void {
  const ageMs = Number(now()) - timestampMs;
  checkOption("now", !Number.isNaN(ageMs), "a function that returns a valid Date");
  if (Math.abs(ageMs) <= toleranceSeconds * 1000) return;
  const isOld = ageMs > 0;
  throw new WebhookVerificationError(
    isOld ? "timestamp_too_old" : "timestamp_too_new",
    `The delivery was signed ${Math.ceil(Math.abs(ageMs) / 1000)} seconds ` +
      `${isOld ? "ago" : "in the future"}, and toleranceSeconds is ${toleranceSeconds}. Check this ` +
      "machine's clock.",
  );
}

/** The refusal of a delivery that no secret matches, with the cause where one was found. */
export function mismatch(body: RawBody, cause = likelyCause(body)): WebhookVerificationError {
  return new WebhookVerificationError(
    "signature_mismatch",
    `No configured secret matches the signature. ${cause}`,
  );
}

function likelyCause(body: RawBody): string {
  return body.length === 0
    ? "The body is empty: verify before anything else reads it."
    : "Check that the endpoint's webhook secret belongs to this environment, and that the body is " +
        "unchanged.";
}
