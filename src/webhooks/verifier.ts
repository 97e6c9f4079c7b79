import { admit, mismatch } from "./admission.ts";
import type { Delivery } from "./delivery.ts";
import { suspicions } from "./diagnosis.ts";
import { findNodeCrypto, nodeMatches, nodeSha256Hex } from "./node-crypto.ts";
import { toBytes } from "./raw-body.ts";
import { secretKeys } from "./secret.ts";
import type { Settings, WebhooksOptions } from "./settings.ts";
import { webMatches, webSha256Hex } from "./web-crypto.ts";
import type { Webhook } from "./webhook.ts";

/** Verifies a delivery: at once where the platform has node:crypto, later with WebCrypto. */
export type Verifier =
  | { readonly isSync: true; verify(delivery: Delivery): Webhook }
  | { readonly isSync: false; verify(delivery: Delivery): Promise<Webhook> };

export function createVerifier(given: WebhooksOptions["secret"], settings: Settings): Verifier {
  if (typeof given === "function") {
    const verify = async (delivery: Delivery) =>
      createVerifier(await given(), settings).verify(delivery);
    return { isSync: false, verify };
  }
  const secrets = secretKeys(given);
  // Causes are looked for only where somebody will read what is found.
  const suspect = (delivery: Delivery) =>
    settings.logger || settings.onError ? suspicions(delivery, secrets) : [];
  const crypto = findNodeCrypto();
  if (crypto) {
    const keys = secrets.map((secret) => crypto.createSecretKey(secret));
    return {
      isSync: true,
      verify(delivery) {
        // Every secret is tried, so that the time taken does not tell which one matched.
        const secretIndex = keys.map((key) => nodeMatches(crypto, key, delivery)).indexOf(true);
        if (secretIndex === -1) {
          const found = suspect(delivery).find((it) => nodeMatches(crypto, it.secret, it));
          throw mismatch(delivery.body, found?.cause);
        }
        const { prefix } = delivery;
        return admit(delivery, secretIndex, settings, (text) =>
          nodeSha256Hex(crypto, prefix, text),
        );
      },
    };
  }
  return {
    isSync: false,
    async verify(given) {
      // A copy: the caller may use its buffer again while this waits.
      const delivery = { ...given, body: new Uint8Array(toBytes(given.body)) };
      const matches = await Promise.all(secrets.map((secret) => webMatches(secret, delivery)));
      const secretIndex = matches.indexOf(true);
      if (secretIndex === -1) {
        for (const it of suspect(delivery)) {
          if (await webMatches(it.secret, it)) throw mismatch(delivery.body, it.cause);
        }
        throw mismatch(delivery.body);
      }
      const deliveryKey = await webSha256Hex(delivery.prefix, delivery.body);
      return admit(delivery, secretIndex, settings, () => deliveryKey);
    },
  };
}
