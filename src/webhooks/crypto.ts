import { ConfigurationError } from "../errors.ts";
import { nodeModule } from "../values.ts";
import { type RawBody, toBytes } from "./body.ts";

/** A signature, and the two parts that it covers (interface section 6, rule 1). */
export interface Signed {
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The exact text of the timestamp header, followed by a dot. */
  readonly prefix: string;
  readonly body: RawBody;
}

const notHex = -1;

/** Reads exactly 64 hex digits in either case as 32 bytes; undefined for any other text. */
export function parseSha256Hex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length !== 64) return undefined;
  const bytes = new Uint8Array(32);
  for (let index = 0; index < 32; index++) {
    const high = digitValue(text.charCodeAt(2 * index));
    const low = digitValue(text.charCodeAt(2 * index + 1));
    if (high === notHex || low === notHex) return undefined;
    bytes[index] = (high << 4) | low;
  }
  return bytes;
}

function digitValue(charCode: number): number {
  if (charCode >= 48 && charCode <= 57) return charCode - 48;
  const lowerCase = charCode | 0x20;
  return lowerCase >= 97 && lowerCase <= 102 ? lowerCase - 87 : notHex;
}

/** node:crypto is synchronous, while WebCrypto returns promises. */
export type NodeCrypto = ReturnType<typeof process.getBuiltinModule<"node:crypto">>;
type NodeKey = ReturnType<NodeCrypto["createSecretKey"]>;

/** Undefined on platforms without node:crypto. */
export const findNodeCrypto = (): NodeCrypto | undefined => nodeModule("node:crypto");

export function nodeHmacHex(
  crypto: NodeCrypto,
  key: NodeKey | Uint8Array,
  prefix: string,
  body: RawBody,
): string {
  return crypto.createHmac("sha256", key).update(prefix).update(body).digest("hex");
}

/** Whether the key made the signature, compared in constant time. */
export function nodeMatches(
  crypto: NodeCrypto,
  key: NodeKey | Uint8Array,
  { prefix, body, signature }: Signed,
): boolean {
  // Hex and back, because Node returns that faster than a Buffer.
  const digest = parseSha256Hex(nodeHmacHex(crypto, key, prefix, body));
  return digest !== undefined && crypto.timingSafeEqual(digest, signature);
}

export function nodeSha256Hex(crypto: NodeCrypto, prefix: string, body: RawBody): string {
  return crypto.createHash("sha256").update(prefix).update(body).digest("hex");
}

/** Whether the secret made the signature, compared in constant time by the platform. */
export async function webMatches(
  secret: Uint8Array<ArrayBuffer>,
  { prefix, body, signature }: Signed,
): Promise<boolean> {
  const subtle = subtleCrypto();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  return subtle.verify(algorithm, key, signature, signedBytes(prefix, body));
}

export async function webSha256Hex(prefix: string, body: RawBody): Promise<string> {
  const digest = await subtleCrypto().digest("SHA-256", signedBytes(prefix, body));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function signedBytes(prefix: string, body: RawBody): Uint8Array<ArrayBuffer> {
  const start = toBytes(prefix);
  const rest = toBytes(body);
  const bytes = new Uint8Array(start.length + rest.length);
  bytes.set(start);
  bytes.set(rest, start.length);
  return bytes;
}

function subtleCrypto(): SubtleCrypto {
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle !== undefined) return subtle;
  throw new ConfigurationError("Webhooks need node:crypto or WebCrypto. Use them on a server.", {
    code: "unsupported_platform",
  });
}
