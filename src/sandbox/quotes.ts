import { parseUnits } from "../evm/units.ts";
import type { Quote } from "../wire/quote.ts";
import type { RandomStream } from "./random.ts";
import { type PricedToken, pricedTokens } from "./tokens.ts";

/** How long a quote lives, as in every published sample. */
export const quoteLifetimeMs = 10 * 60_000;

/** Finer than any rate in the table, so that rates become whole numbers. */
const rateDecimals = 8;
const centsPerDollar = 100n;

/** A token's price in the form that amounts are computed with. */
interface Price {
  readonly decimals: number;
  readonly rateUsd: string;
}

/** What settles an amount, in smallest units: the exact quotient, rounded up to one whole unit. */
export function expectedUnits(amountInCents: number, { decimals, rateUsd }: Price): bigint {
  const dividend = BigInt(amountInCents) * 10n ** BigInt(decimals + rateDecimals);
  const divisor = parseUnits(rateUsd, rateDecimals) * centsPerDollar;
  return (dividend + divisor - 1n) / divisor;
}

/** What smallest units are worth, in whole USD cents; a fraction of a cent is dropped. */
export function worthInCents(units: bigint, { decimals, rateUsd }: Price): bigint {
  const value = units * parseUnits(rateUsd, rateDecimals) * centsPerDollar;
  return value / 10n ** BigInt(decimals + rateDecimals);
}

export interface QuoteRequest {
  readonly paymentId: string;
  readonly amountInCents: number;
  readonly nowMs: number;
}

/** A quote for every token. */
export function quotesFor(request: QuoteRequest, random: RandomStream): Quote[] {
  return pricedTokens.map((priced) => quoteFor(priced, request, random.uuid()));
}

export function quoteFor(
  { token, chainId, rateUsd }: PricedToken,
  { paymentId, amountInCents, nowMs }: QuoteRequest,
  id: string,
): Quote {
  const { decimals } = token;
  return {
    id,
    paymentId,
    token,
    chainId,
    expectedAmountAsset: expectedUnits(amountInCents, { decimals, rateUsd }).toString(),
    rateUsdAsset: rateUsd,
    expiresAt: new Date(nowMs + quoteLifetimeMs).toISOString(),
    status: "active",
    createdAt: new Date(nowMs).toISOString(),
  };
}

export function isActive({ status }: Quote): boolean {
  return status === "active";
}

/** The latest quote in a token: an older one may have expired before it. */
export function latestQuote(quotes: readonly Quote[], { token }: PricedToken): Quote | undefined {
  return quotes.findLast((quote) => quote.token.id === token.id);
}

/** The quotes with every active one expired, but for the used one, which stands in for its old self. */
export function closedQuotes(quotes: readonly Quote[], used?: Quote): Quote[] {
  return quotes.map((quote) => {
    if (quote.id === used?.id) return used;
    return isActive(quote) ? { ...quote, status: "expired" } : quote;
  });
}
