import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { invalidArgument } from "../values.ts";
import { isNativeAssetAddress } from "./chains.ts";

/** An EVM address: `0x` and 40 hexadecimal digits. The same type that viem and wagmi use. */
export type Address = `0x${string}`;

/**
 * Whether a value is an EVM address. Mixed case must satisfy the EIP-55 checksum; all-lower and all-upper case carry
 * none and are accepted. The zero address is an address too, though money sent there is lost.
 *
 * @example
 * ```ts
 * isAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"); // true
 * isAddress("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"); // true: all lower case
 * isAddress("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"); // false: one letter's case is wrong
 * isAddress("alice.eth"); // false: resolve names first
 * ```
 */
export function isAddress(value: unknown): value is Address {
  return hasAddressForm(value) && (!isMixedCase(value) || value === checksummed(value));
}

/**
 * The EIP-55 form of an address, whose upper-case letters let a wallet notice a mistyped digit. A mixed-case address
 * with a wrong checksum is refused rather than repaired, because it may not be the one that was meant.
 *
 * @param address `0x` and 40 hexadecimal digits.
 * @param param The name of the field that the error reports.
 * @throws {InvalidRequestError} code `invalid_address`. The message does not repeat the value: it
 * may be a private key, pasted by mistake.
 * @example
 * ```ts
 * toChecksumAddress("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed");
 * // "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
 * ```
 */
export function toChecksumAddress(address: string, param = "address"): Address {
  if (!hasAddressForm(address)) {
    throw invalidAddress(
      param,
      `must be 0x followed by 40 hexadecimal digits, but is ${describe(address)}. ` +
        "Pass the account's full address; resolve names such as alice.eth first.",
    );
  }
  const result = checksummed(address);
  if (isMixedCase(address) && address !== result) {
    throw invalidAddress(
      param,
      "does not match its own EIP-55 checksum, so it may be mistyped. " +
        "Copy it again from its source; do not change its case to make it pass.",
    );
  }
  return result;
}

function hasAddressForm(value: unknown): value is Address {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value);
}

function isMixedCase(address: Address): boolean {
  return /[a-f]/.test(address) && /[A-F]/.test(address);
}

/** EIP-55: a letter is upper case if the same digit of the lower-case address's hash is 8 or more. */
function checksummed(address: Address): Address {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  const cased = digits.replace(/./g, (digit, index: number) =>
    hash.charAt(index) >= "8" ? digit.toUpperCase() : digit,
  );
  return `0x${cased}`;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "string") return `of type ${typeof value}`;
  if (!value.startsWith("0x")) return "a string that does not start with 0x";
  if (value.length !== 42) return `${value.length - 2} characters long after 0x`;
  return "a string with other characters in it";
}

/**
 * The EIP-55 form of an address that money may be sent to.
 *
 * @param address `0x` and 40 hexadecimal digits; mixed case must satisfy the checksum.
 * @param param The name of the field that the error reports.
 * @throws {InvalidRequestError} code `invalid_address` when it is not an address, fails its checksum, or
 * is a placeholder without a known key: the zero address or `0xeeee…eeee`.
 * @example
 * ```ts
 * toRecipientAddress("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed");
 * // "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
 * toRecipientAddress("0x0000000000000000000000000000000000000000"); // throws
 * ```
 */
export function toRecipientAddress(address: string, param = "recipientAddress"): Address {
  const recipient = toChecksumAddress(address, param);
  if (isNativeAssetAddress(recipient)) {
    throw invalidAddress(
      param,
      "is a placeholder for a native asset, and money sent to it is lost. " +
        "Pass the address of the account to pay.",
    );
  }
  return recipient;
}

/** @param problem The rest of the message, which begins with the parameter. */
export function invalidAddress(param: string, problem: string) {
  return invalidArgument(param, `${param} ${problem}`, "invalid_address");
}
