import { ConfigurationError } from "../errors.ts";
import { type RawBody, toBytes } from "./body.ts";

/** A signature, and the two parts of what it covers (interface section 6, rule 1). */
export interface Signed {
  /** 64 hex digits in lower case. */
  readonly signature: string;
  /** The timestamp header's exact text and a dot. */
  readonly prefix: string;
  readonly body: RawBody;
}

/** node:crypto answers at once, where WebCrypto returns promises. */
export type NodeCrypto = ReturnType<typeof process.getBuiltinModule<"node:crypto">>;
type NodeKey = ReturnType<NodeCrypto["createSecretKey"]>;

/** The part of `process` that gives built-in modules, where the platform has it. */
interface Platform {
  getBuiltinModule?(id: "node:crypto"): NodeCrypto | undefined;
}

/** Undefined on platforms without node:crypto. Not an import, so that bundles for browsers hold none. */
export function findNodeCrypto(): NodeCrypto | undefined {
  const platform: Platform | undefined = globalThis.process;
  return platform?.getBuiltinModule?.("node:crypto");
}

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
  // As hex, which Node returns faster than a Buffer.
  const digest = toBytes(nodeHmacHex(crypto, key, prefix, body));
  return crypto.timingSafeEqual(digest, toBytes(signature));
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
  const digits = signature.match(/../g) ?? [];
  const bytes = Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16));
  return subtle.verify(algorithm, key, bytes, signedBytes(prefix, body));
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
