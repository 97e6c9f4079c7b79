import { admit, mismatch } from "./admission.ts";
import { type Delivery, signedPrefix } from "./delivery.ts";
import { parseSha256Hex } from "./hex.ts";
import { type NodeCrypto, type NodeKey, nodeHmacSha256Hex, nodeSha256Hex } from "./node-crypto.ts";
import type { RawBody } from "./raw-body.ts";
import type { Settings } from "./settings.ts";
import type { Webhook } from "./webhook.ts";

/** Verifies deliveries with node:crypto, at once. */
export class NodeVerifier {
  readonly secrets: readonly Uint8Array[];
  readonly #crypto: NodeCrypto;
  readonly #keys: readonly NodeKey[];

  constructor(crypto: NodeCrypto, secrets: readonly Uint8Array[]) {
    this.secrets = secrets;
    this.#crypto = crypto;
    this.#keys = secrets.map((secret) => crypto.createSecretKey(secret));
  }

  verify(delivery: Delivery, settings: Settings): Webhook {
    const { body, signature } = delivery;
    const prefix = signedPrefix(delivery);
    let secretIndex = -1;
    // Every secret is tried, so that the time taken does not tell which one matched.
    for (const [index, key] of this.#keys.entries()) {
      const matches = this.#matches(signature, key, prefix, body);
      if (matches && secretIndex === -1) secretIndex = index;
    }
    if (secretIndex === -1) throw mismatch();
    const deliveryKey = (text: string) => nodeSha256Hex(this.#crypto, prefix, text);
    return admit(delivery, secretIndex, settings, deliveryKey);
  }

  #matches(signature: Uint8Array, key: NodeKey, prefix: string, body: RawBody) {
    // Read back from hex, which Node returns faster than it makes a Buffer.
    const digest = parseSha256Hex(nodeHmacSha256Hex(this.#crypto, key, prefix, body));
    return digest !== undefined && this.#crypto.timingSafeEqual(digest, signature);
  }
}
