import { InvalidRequestError } from "../errors.ts";
import { toChecksumAddress } from "../evm/address.ts";
import { isNativeAsset } from "../evm/chains.ts";
import { nativePaymentUri, tokenPaymentUri } from "../evm/payment-uri.ts";
import { formatUnits } from "../evm/units.ts";
import type { Payment } from "../wire/payment.ts";
import type { Quote } from "../wire/quote.ts";

/** Everything that a customer needs to pay one quote. */
export interface PaymentRequest {
  /** The deposit address, in EIP-55 form. Show it with the amount, the token and the chain. */
  readonly address: string;
  /** The amount in whole tokens, exact, as a decimal string. */
  readonly amount: string;
  /** The amount in the token's smallest unit, as a decimal string. */
  readonly amountUnits: string;
  /** The token's symbol, such as `USDC`. */
  readonly symbol: string;
  /** EVM chain id. */
  readonly chainId: number;
  /** When to stop asking for the money: ISO 8601, UTC. It may still arrive later. */
  readonly expiresAt: string;
  /**
   * An EIP-681 link, for wallets that are known to read it. Others take only the first address in it,
   * which for a token is the token's contract: money sent there is lost.
   */
  readonly uri: string;
  /** Milliseconds until `expiresAt` by the service's clock; 0 afterwards. */
  remainingMs(): number;
}

export function paymentRequest(
  payment: Payment,
  quote: Quote,
  serviceNow: () => number,
): PaymentRequest {
  // Nothing at all where a find among the quotes found none.
  if (quote?.paymentId !== payment.id) {
    throw new InvalidRequestError(
      "The quote is none of this payment's. Pass a payment and one of its own quotes.",
      { code: "foreign_quote", param: "quote" },
    );
  }
  const { token, expectedAmountAsset: amountUnits, expiresAt } = quote;
  // An answer that had drifted elsewhere was given as it came, perhaps with the chain id as CAIP-2.
  const chainId = Number(String(quote.chainId).replace(/^eip155:/, ""));
  const address = toChecksumAddress(depositAddress(payment, quote), "depositAddress");
  const expiresMs = Date.parse(expiresAt);
  const target = { address, chainId, amountUnits };
  return {
    address,
    amount: formatUnits(amountUnits, token.decimals),
    amountUnits,
    symbol: token.symbol,
    chainId,
    expiresAt,
    uri: isNativeAsset(token)
      ? nativePaymentUri(target)
      : tokenPaymentUri({ ...target, tokenAddress: token.contractAddress }),
    // A time that cannot be read is over.
    remainingMs: () => Math.max(0, expiresMs - serviceNow()) || 0,
  };
}

/** The quote's own address where it has one, else the payment's. */
function depositAddress(payment: Payment, quote: Quote): string {
  const own = quote.depositAddress;
  const address = (typeof own === "string" ? own : own?.address) ?? payment.depositAddress?.address;
  if (address !== undefined) return address;
  throw new InvalidRequestError(
    "Neither the quote nor the payment has a deposit address. Read the payment again before asking the " +
      "customer to pay.",
    { code: "missing_deposit_address", param: "depositAddress" },
  );
}
