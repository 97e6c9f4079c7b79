import { invalidAddress, toChecksumAddress, toRecipientAddress } from "./address.ts";
import { checkedChainId, isNativeAssetAddress } from "./chains.ts";
import { invalidAmount, toUnits } from "./units.ts";

/** A payment in a chain's native asset. */
export interface NativePayment {
  /** The recipient: a payment's deposit address. */
  readonly address: string;
  /** EVM chain id. */
  readonly chainId: number;
  /** Smallest units, more than zero, such as a quote's `expectedAmountAsset`. */
  readonly amountUnits: bigint | string;
}

/** A payment in a token. */
export interface TokenPayment extends NativePayment {
  /** The token's contract. */
  readonly tokenAddress: string;
}

/**
 * An EIP-681 link that asks a wallet for a payment in a chain's native asset.
 *
 * @throws {InvalidRequestError} code `invalid_address`, `invalid_chain_id` or `invalid_amount`;
 * `param` names the field.
 * @example
 * ```ts
 * nativePaymentUri({
 *   address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
 *   chainId: 8453,
 *   amountUnits: "10000000000000000",
 * });
 * // "ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@8453?value=10000000000000000"
 * ```
 */
export function nativePaymentUri(payment: NativePayment): string {
  const { recipient, chainId, units } = checked(payment);
  return `ethereum:${recipient}@${chainId}?value=${units}`;
}

/**
 * An EIP-681 link that asks a wallet for a payment in a token. Use it only with wallets that are known to support it:
 * several read only the first address, here the token's contract, and money sent there is lost. Otherwise, show the
 * plain deposit address.
 *
 * @throws {InvalidRequestError} code `invalid_address`, `invalid_chain_id` or `invalid_amount`; `param` names the
 * field.
 * @example
 * ```ts
 * tokenPaymentUri({
 *   address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
 *   chainId: 8453,
 *   amountUnits: "25000000",
 *   tokenAddress: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
 * });
 * // "ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer
 * //   ?address=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed&uint256=25000000", in one line
 * ```
 */
export function tokenPaymentUri(payment: TokenPayment): string {
  const token = toChecksumAddress(payment.tokenAddress, "tokenAddress");
  const { recipient, chainId, units } = checked(payment);
  if (isNativeAssetAddress(token)) {
    throw invalidAddress(
      "tokenAddress",
      "stands for the chain's native asset, which has no contract. Use nativePaymentUri.",
    );
  }
  if (token === recipient) {
    throw invalidAddress(
      "address",
      "is the token's own contract, and tokens sent to it are lost. " +
        "Pass the payment's deposit address.",
    );
  }
  return `ethereum:${token}@${chainId}/transfer?address=${recipient}&uint256=${units}`;
}

function checked(payment: NativePayment) {
  const recipient = toRecipientAddress(payment.address, "address");
  const chainId = checkedChainId(payment.chainId);
  const units = toUnits(payment.amountUnits, "amountUnits");
  if (units === 0n) throw invalidAmount("amountUnits", "is 0. Use the amount from the quote.");
  return { recipient, chainId, units };
}
