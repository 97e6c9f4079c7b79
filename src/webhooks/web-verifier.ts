import { admit, mismatch } from "./admission.ts";
import { type Delivery, signedPrefix } from "./delivery.ts";
import { concatenate, toBytes } from "./raw-body.ts";
import type { Settings } from "./settings.ts";
import { importWebKey, webHmacMatches, webSha256Hex } from "./web-crypto.ts";
import type { Webhook } from "./webhook.ts";

/** Verifies deliveries with WebCrypto, on platforms without node:crypto. */
export class WebVerifier {
  readonly secrets: readonly Uint8Array[];
  #keys: Promise<CryptoKey[]> | undefined;

  constructor(secrets: readonly Uint8Array[]) {
    this.secrets = secrets;
  }

  async verify(delivery: Delivery, settings: Settings): Promise<Webhook> {
    const prefix = toBytes(signedPrefix(delivery));
    // One copy for all that follows: the caller may use its buffer again while this waits.
    const signed = concatenate([prefix, toBytes(delivery.body)]);
    const copy = { ...delivery, body: signed.subarray(prefix.length) };
    this.#keys ??= Promise.all(this.secrets.map(importWebKey));
    const keys = await this.#keys;
    const matches = await Promise.all(
      keys.map((key) => webHmacMatches(key, delivery.signature, signed)),
    );
    const secretIndex = matches.indexOf(true);
    if (secretIndex === -1) throw mismatch();
    return admit(copy, secretIndex, settings, await webSha256Hex(signed));
  }
}
