import { WebhookVerificationError } from "../errors.ts";
import { nodeModule } from "../values.ts";
import { type RawBody, toBytes } from "./body.ts";
import { nodeMatches, nodeSha256Hex, webMatches, webSha256Hex } from "./crypto.ts";
import type { Delivery } from "./delivery.ts";
import { suspicions } from "./diagnosis.ts";
import { readEvent, VerifiedWebhook, type Webhook } from "./event.ts";
import { secretKeys, type WebhooksOptions } from "./options.ts";

/** Verifies deliveries: synchronously with node:crypto, asynchronously with WebCrypto. */
export type Verifier = ReturnType<typeof createVerifier>;

export function createVerifier(given: WebhooksOptions["secret"]) {
  if (typeof given === "function") {
    const verify = async (delivery: Delivery): Promise<Webhook> => {
      // A copy: the caller may reuse its buffer during the await.
      const kept = { ...delivery, body: new Uint8Array(toBytes(delivery.body)) };
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
      if (secretIndex === -1) {
        const found = suspicions(delivery, secrets).find((it) =>
          nodeMatches(crypto, it.secret, it),
        );
        throw mismatch(delivery.body, found?.cause);
      }
      const { start } = delivery;
      return webhookOf(delivery, secretIndex, (text) => nodeSha256Hex(crypto, start, text));
    };
    return { isSync: true as const, matchingSecret, verify };
  }
  const matchingSecret = async (delivery: Delivery) =>
    (await Promise.all(secrets.map((secret) => webMatches(secret, delivery)))).indexOf(true);
  const verify = async (given: Delivery): Promise<Webhook> => {
    // A copy, as above.
    const delivery = { ...given, body: new Uint8Array(toBytes(given.body)) };
    const secretIndex = await matchingSecret(delivery);
    if (secretIndex === -1) {
      for (const it of suspicions(delivery, secrets)) {
        if (await webMatches(it.secret, it)) throw mismatch(delivery.body, it.cause);
      }
      throw mismatch(delivery.body);
    }
    const deliveryKey = await webSha256Hex(delivery.start, delivery.body);
    return webhookOf(delivery, secretIndex, () => deliveryKey);
  };
  return { isSync: false as const, matchingSecret, verify };
}

function webhookOf(
  { timestampMs, hints, body }: Delivery,
  secretIndex: number,
  deliveryKey: (text: string) => string,
): Webhook {
  const facts = { timestamp: new Date(timestampMs), secretIndex, hints };
  // The types of `data` trust the service, as those of every response do.
  return new VerifiedWebhook(readEvent(body), facts, deliveryKey) as unknown as Webhook;
}

/** The error for a delivery that no secret matches, with the cause if one was found. */
export function mismatch(body: RawBody, cause?: string): WebhookVerificationError {
  const likelyCause =
    body.length === 0
      ? "The body is empty: verify before anything else reads it."
      : "Check that the endpoint's webhook secret belongs to this environment, and that the body is unchanged.";
  return new WebhookVerificationError(
    "signature_mismatch",
    `No configured secret matches the signature. ${cause ?? likelyCause}`,
  );
}
