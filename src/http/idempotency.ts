import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { invalidArgument } from "../values.ts";

/**
 * Derives an idempotency key from the parts: equal parts give the same UUID in every process. With a key derived from
 * the order, any process can repeat a creation within 24 hours and gets the original payment with its secret. Include
 * everything that distinguishes the request: the same key with other parameters is a conflict.
 *
 * @throws {InvalidRequestError} when there is no part, or a part is missing or empty.
 * @example
 * ```ts
 * const idempotencyKey = idempotencyKeyFrom("checkout", order.id);
 * await client.payments.create({ amount: 2500, orderId: order.id }, { idempotencyKey });
 * ```
 */
export function idempotencyKeyFrom(...parts: readonly (string | number | bigint)[]): string {
  if (parts.length === 0 || !parts.every(isPart)) {
    throw invalidArgument(
      "parts",
      "idempotencyKeyFrom needs at least one part, each a non-empty string, a finite number or a bigint: " +
        "with anything else, many orders would share one key. Pass what identifies the order.",
      "invalid_idempotency_key",
    );
  }
  // JSON keeps ("a", "bc") and ("ab", "c") apart. Keccak is already in the bundle, for checksum addresses.
  const bytes = keccak_256(utf8ToBytes(JSON.stringify(parts.map(String)))).slice(0, 16);
  // A version 8 UUID (RFC 9562): all other bits are free to use.
  bytes.set([((bytes[6] ?? 0) & 0x0f) | 0x80], 6);
  bytes.set([((bytes[8] ?? 0) & 0x3f) | 0x80], 8);
  return bytesToHex(bytes).replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function isPart(part: unknown): boolean {
  if (typeof part === "number") return Number.isFinite(part);
  return typeof part === "bigint" || (typeof part === "string" && part !== "");
}
