import { toChecksumAddress } from "../evm/address.ts";
import { fromCaip2, isNativeAsset } from "../evm/chains.ts";
import { nativePaymentUri, tokenPaymentUri } from "../evm/payment-uri.ts";
import { formatUnits } from "../evm/units.ts";
import { invalidArgument, show, timeOf } from "../values.ts";
import type { ChainId } from "../wire/fields.ts";
import type { NewPayment } from "../wire/payment.ts";
import type { Quote } from "../wire/quote.ts";

/** Everything that a customer needs to pay one quote. */
export interface PaymentRequest {
  /** The deposit address in EIP-55 form. Show it together with the amount, the token and the chain. */
  readonly address: string;
  /** The exact amount in whole tokens, as a decimal string. */
  readonly amount: string;
  /** The amount in the token's smallest unit, as a decimal string. */
  readonly amountUnits: string;
  /** The token's symbol, such as `USDC`. */
  readonly symbol: string;
  /** The customer's total in USD cents, fees included; the payment's amount unless the service states another. */
  readonly amountDueCents: number;
  /** EVM chain id. */
  readonly chainId: number;
  /** When to stop asking for the money: ISO 8601, UTC. Money may still arrive later. */
  readonly expiresAt: string;
  /**
   * An EIP-681 link. Use it only with wallets that are known to support it. Others take only its first address, which
   * for a token is the token's contract: money sent there is lost.
   */
  readonly uri: string;
  /** Milliseconds until `expiresAt` by the service's clock; 0 afterwards. */
  remainingMs(): number;
}

export function paymentRequest(
  payment: NewPayment,
  quote: Quote,
  serviceNow: () => number,
): PaymentRequest {
  // The quote is undefined if the caller's search found none.
  if (!quote || quote.paymentId !== payment?.id) {
    throw invalidArgument(
      "quote",
      "The quote does not belong to this payment. Pass a payment and one of its own quotes.",
      "foreign_quote",
    );
  }
  const { token, expectedAmountAsset: amountUnits, expiresAt } = quote;
  const chainId = evmChainId(quote.chainId);
  const address = toChecksumAddress(depositAddress(payment, quote), "depositAddress");
  const expiresMs = timeOf(expiresAt);
  const target = { address, chainId, amountUnits };
  return {
    address,
    // Refuses a quote without a token.
    amount: formatUnits(amountUnits, token?.decimals),
    amountUnits,
    symbol: token.symbol,
    amountDueCents: quote.amountDueCents ?? payment.amountDueCents ?? payment.amountInCents,
    chainId,
    expiresAt,
    uri: isNativeAsset(token)
      ? nativePaymentUri(target)
      : tokenPaymentUri({ ...target, tokenAddress: token.contractAddress }),
    // An invalid time counts as past.
    remainingMs: () => Math.max(0, expiresMs - serviceNow()) || 0,
  };
}

function evmChainId(chainId: ChainId): number {
  if (typeof chainId === "number") return chainId;
  if (String(chainId).startsWith("eip155:")) return fromCaip2(chainId);
  throw invalidArgument(
    "chainId",
    `The quote is for ${show(chainId)}, and only EVM chains (eip155) have payment URIs. Ask for a quote on one ` +
      "of them, or show the quote's own address and amount.",
    "invalid_chain_id",
  );
}

/** The quote's own address if it has one, otherwise the payment's. */
function depositAddress(payment: NewPayment, quote: Quote): string {
  const own = quote.depositAddress;
  const address = (typeof own === "string" ? own : own?.address) ?? payment.depositAddress?.address;
  if (address !== undefined) return address;
  throw invalidArgument(
    "depositAddress",
    "Neither the quote nor the payment has a deposit address. Read the payment again before asking the " +
      "customer to pay.",
    "missing_deposit_address",
  );
}
