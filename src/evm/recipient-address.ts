import { InvalidRequestError } from "../errors.ts";
import { type Address, toChecksumAddress } from "./address.ts";
import { isNativeAssetAddress } from "./native-asset.ts";

/**
 * The EIP-55 form of an address that money may be sent to.
 *
 * @param address `0x` and 40 hexadecimal digits; mixed case must satisfy the checksum.
 * @param param The name of the field that the error reports.
 * @throws {InvalidRequestError} code `invalid_address` when it is no address, fails its checksum, or
 * is a placeholder that nobody has the keys of: the zero address or `0xeeee…eeee`.
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
    throw new InvalidRequestError(
      `${param} is a placeholder for a native asset, and money sent to it is lost. ` +
        "Pass the address of the account that is to be paid.",
      { code: "invalid_address", param },
    );
  }
  return recipient;
}
