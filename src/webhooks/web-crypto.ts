import { ConfigurationError } from "../errors.ts";
import type { Signed } from "./delivery.ts";
import { toHex } from "./hex.ts";
import { concatenate, type RawBody, toBytes } from "./raw-body.ts";

/** Whether the secret made the signature, found out in constant time by the platform. */
export async function webMatches(
  secret: Uint8Array<ArrayBuffer>,
  { prefix, body, signature }: Signed,
): Promise<boolean> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await subtleCrypto().importKey("raw", secret, algorithm, false, ["verify"]);
  return subtleCrypto().verify(algorithm, key, signature, signedBytes(prefix, body));
}

export async function webSha256Hex(prefix: string, body: RawBody): Promise<string> {
  const digest = await subtleCrypto().digest("SHA-256", signedBytes(prefix, body));
  return toHex(new Uint8Array(digest));
}

function signedBytes(prefix: string, body: RawBody): Uint8Array<ArrayBuffer> {
  return concatenate([toBytes(prefix), toBytes(body)]);
}

function subtleCrypto(): SubtleCrypto {
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle !== undefined) return subtle;
  throw new ConfigurationError("Webhooks need node:crypto or WebCrypto. Use them on a server.", {
    code: "unsupported_platform",
  });
}
