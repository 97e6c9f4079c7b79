import { WebhookVerificationError } from "../errors.ts";
import { nodeModule } from "../values.ts";
import { type RawBody, toBytes } from "./body.ts";
import { nodeMatches, nodeSha256Hex, webMatches, webSha256Hex } from "./crypto.ts";
import { suspicions } from "./diagnosis.ts";
import { type Webhook, webhookOf } from "./event.ts";
import type { Delivery } from "./headers.ts";
import { secretKeys, type WebhooksOptions } from "./options.ts";

/** Verifies deliveries: synchronously with node:crypto, asynchronously with WebCrypto. */
export type Verifier = ReturnType<typeof createVerifier>;

export function createVerifier(given: WebhooksOptions["secret"]) {
  if (typeof given === "function") {
    const verify = async (delivery: Delivery): Promise<Webhook> => {
      const kept = copyOf(delivery);
      return createVerifier(await given()).verify(kept);
    };
    return { isSync: false as const, matchingSecret: () => -1, verify };
  }
  const secrets = secretKeys(given);
  const crypto = nodeModule("node:crypto");
  if (crypto) {
    const keys = secrets.map((secret) => crypto.createSecretKey(secret));
    // Try every secret, so that the time taken does not reveal which one matched.
    const matchingSecret = (delivery: Delivery) =>
      keys.map((key) => nodeMatches(crypto, key, delivery)).indexOf(true);
    const verify = (delivery: Delivery): Webhook => {
      const secretIndex = matchingSecret(delivery);
      if (secretIndex !== -1) {
        // Apart from the delivery: a webhook that is kept must not hold on to the caller's bytes.
        const { start } = delivery;
        return webhookOf(delivery, secretIndex, (text) => nodeSha256Hex(crypto, start, text));
      }
      const found = suspicions(delivery, secrets);
      throw mismatch(delivery.body, found.find((it) => nodeMatches(crypto, it.secret, it))?.cause);
    };
    return { isSync: true as const, matchingSecret, verify };
  }
  const matchingSecret = async (delivery: Delivery) =>
    (await Promise.all(secrets.map((secret) => webMatches(secret, delivery)))).indexOf(true);
  const verify = async (given: Delivery): Promise<Webhook> => {
    const delivery = copyOf(given);
    const secretIndex = await matchingSecret(delivery);
    if (secretIndex !== -1) {
      const deliveryKey = await webSha256Hex(delivery.start, delivery.body);
      return webhookOf(delivery, secretIndex, () => deliveryKey);
    }
    const found = suspicions(delivery, secrets);
    const matches = await Promise.all(found.map((it) => webMatches(it.secret, it)));
    throw mismatch(delivery.body, found[matches.indexOf(true)]?.cause);
  };
  return { isSync: false as const, matchingSecret, verify };
}

/** The caller may reuse its buffer while a promise is pending. */
function copyOf(delivery: Delivery): Delivery {
  return { ...delivery, body: new Uint8Array(toBytes(delivery.body)) };
}

/** The error for a delivery that no secret matches, with the cause if one was found. */
export function mismatch(
  body: RawBody,
  cause = body.length === 0
    ? "The body is empty: verify before anything else reads it."
    : "Check that the endpoint's webhook secret belongs to this environment, and that the body is unchanged.",
): WebhookVerificationError {
  const message = `No configured secret matches the signature. ${cause}`;
  return new WebhookVerificationError("signature_mismatch", message);
}
