import type { Quote } from "../../wire/quote.ts";
import type { Token } from "../../wire/token.ts";
import { ratesUsd, type SettlementToken } from "./tokens.ts";

/** As in every published sample. */
export const quoteLifetimeMs = 10 * 60_000;

/** A price in hundred-millionths of a dollar. */
const priceOf = (rateUsd: string) => BigInt(Number(rateUsd).toFixed(8).replace(".", ""));
const cent = priceOf("0.01");

/** A token's price. */
export interface Price {
  readonly decimals: number;
  readonly rateUsd: string;
}

/** The smallest units that settle an amount: the exact quotient, rounded up. */
export function expectedUnits(amountInCents: number, { decimals, rateUsd }: Price): bigint {
  const rate = priceOf(rateUsd);
  return (BigInt(amountInCents) * cent * 10n ** BigInt(decimals) + rate - 1n) / rate;
}

/** The value of an amount of smallest units, in USD cents, rounded down. */
export function worthInCents(amount: bigint, { decimals, rateUsd }: Price): bigint {
  return (amount * priceOf(rateUsd)) / (cent * 10n ** BigInt(decimals));
}

export function quoteFor(
  token: SettlementToken,
  { paymentId, amountInCents, nowMs }: { paymentId: string; amountInCents: number; nowMs: number },
  id: string,
): Quote {
  const rateUsd = ratesUsd[token.symbol];
  return {
    id,
    paymentId,
    token,
    chainId: token.chain.chainId,
    expectedAmountAsset: expectedUnits(amountInCents, { ...token, rateUsd }).toString(),
    rateUsdAsset: rateUsd,
    expiresAt: new Date(nowMs + quoteLifetimeMs).toISOString(),
    status: "active",
    createdAt: new Date(nowMs).toISOString(),
  };
}

export function isActive({ status }: Quote): boolean {
  return status === "active";
}

/** The latest quote in a token; older ones may have expired. */
export function latestQuote(quotes: readonly Quote[], token: Token): Quote | undefined {
  return quotes.findLast((quote) => quote.token.id === token.id);
}

/** Adds a quote, or replaces the one with its id. */
export function withQuote(quotes: readonly Quote[], quote: Quote): Quote[] {
  const place = quotes.findIndex(({ id }) => id === quote.id);
  return place < 0 ? [...quotes, quote] : quotes.with(place, quote);
}

/** Expires the quotes that are closing: by default, every active one. */
export function closedQuotes(quotes: readonly Quote[], isClosing = isActive): Quote[] {
  return quotes.map((quote) => (isClosing(quote) ? { ...quote, status: "expired" } : quote));
}
