import { ConfigurationError } from "../errors.ts";
import { encoder, type RawBody, toBytes } from "./body.ts";

/** A signature, and the two parts that it covers (interface section 6, rule 1). */
export interface Signed {
  /** 64 hex digits in lower case. */
  readonly signature: string;
  /** What is signed before the body: the exact text of the timestamp header, and a dot. */
  readonly start: string;
  readonly body: RawBody;
}

/** node:crypto is synchronous, while WebCrypto returns promises. */
export type NodeCrypto = ReturnType<typeof process.getBuiltinModule<"node:crypto">>;
type NodeKey = ReturnType<NodeCrypto["createSecretKey"]>;

export function nodeHmacHex(
  crypto: NodeCrypto,
  key: NodeKey | Uint8Array,
  start: string,
  body: RawBody,
): string {
  return crypto.createHmac("sha256", key).update(start).update(body).digest("hex");
}

// Two digests in hex. Reused, because an allocation takes longer than the comparison.
const expected = /* @__PURE__ */ new Uint8Array(64);
const received = /* @__PURE__ */ new Uint8Array(64);

/** Whether the key made the signature, compared in constant time. */
export function nodeMatches(
  crypto: NodeCrypto,
  key: NodeKey | Uint8Array,
  { start, body, signature }: Signed,
): boolean {
  // As text, because Node returns that faster than a Buffer.
  encoder.encodeInto(nodeHmacHex(crypto, key, start, body), expected);
  encoder.encodeInto(signature, received);
  return crypto.timingSafeEqual(expected, received);
}

export function nodeSha256Hex(crypto: NodeCrypto, start: string, body: RawBody): string {
  return crypto.createHash("sha256").update(start).update(body).digest("hex");
}

/** Whether the secret made the signature, compared in constant time by the platform. */
export async function webMatches(
  secret: Uint8Array<ArrayBuffer>,
  { start, body, signature }: Signed,
): Promise<boolean> {
  const subtle = subtleCrypto();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  const pairs = signature.match(/../g) ?? [];
  const bytes = Uint8Array.from(pairs, (digits) => Number.parseInt(digits, 16));
  return subtle.verify(algorithm, key, bytes, signedBytes(start, body));
}

export async function webSha256Hex(start: string, body: RawBody): Promise<string> {
  const digest = await subtleCrypto().digest("SHA-256", signedBytes(start, body));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function signedBytes(start: string, body: RawBody): Uint8Array<ArrayBuffer> {
  const [first, second] = [toBytes(start), toBytes(body)];
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

function subtleCrypto(): SubtleCrypto {
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle !== undefined) return subtle;
  throw new ConfigurationError("Webhooks need node:crypto or WebCrypto. Use them on a server.", {
    code: "unsupported_platform",
  });
}
