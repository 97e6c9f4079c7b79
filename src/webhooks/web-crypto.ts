import { ConfigurationError } from "../errors/configuration-error.ts";
import { toHex } from "./hex.ts";

const algorithm = { name: "HMAC", hash: "SHA-256" };

export function importWebKey(secret: Uint8Array): Promise<CryptoKey> {
  return subtleCrypto().importKey("raw", new Uint8Array(secret), algorithm, false, ["verify"]);
}

/** In constant time, by the platform. */
export function webHmacMatches(
  key: CryptoKey,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return subtleCrypto().verify(algorithm.name, key, signature, signed);
}

export async function webSha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await subtleCrypto().digest("SHA-256", bytes)));
}

function subtleCrypto(): SubtleCrypto {
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) {
    throw new ConfigurationError(
      "Webhooks need node:crypto or WebCrypto. Verify them on a server.",
      { code: "unsupported_platform" },
    );
  }
  return subtle;
}
