import type { Signed } from "./delivery.ts";
import { parseSha256Hex } from "./hex.ts";
import type { RawBody } from "./raw-body.ts";

/** Node's cryptography, which answers at once where WebCrypto answers later. */
export type NodeCrypto = ReturnType<typeof process.getBuiltinModule<"node:crypto">>;
type NodeKey = ReturnType<NodeCrypto["createSecretKey"]>;

/** The part of `process` that gives built-in modules, where the platform has it. */
interface Platform {
  getBuiltinModule?(id: "node:crypto"): NodeCrypto | undefined;
}

/** Undefined on platforms without node:crypto. No import, so that bundles for browsers hold none. */
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

/** Whether the key made the signature, found out in constant time. */
export function nodeMatches(
  crypto: NodeCrypto,
  key: NodeKey | Uint8Array,
  { prefix, body, signature }: Signed,
): boolean {
  // Read back from hex, which Node returns faster than it makes a Buffer.
  const digest = parseSha256Hex(nodeHmacHex(crypto, key, prefix, body));
  return digest !== undefined && crypto.timingSafeEqual(digest, signature);
}

export function nodeSha256Hex(crypto: NodeCrypto, prefix: string, body: RawBody): string {
  return crypto.createHash("sha256").update(prefix).update(body).digest("hex");
}
