import type { Quote } from "../../wire/quote.ts";
import type { Token } from "../../wire/token.ts";
import { ratesUsd, type SettlementToken } from "./tokens.ts";

/** As in every published sample. */
export const quoteLifetimeMs = 10 * 60_000;

const centsPerDollar = 100n;

interface Price {
  readonly decimals: number;
  readonly rateUsd: string;
}

/** The exchange rate as a fraction of whole numbers. */
function unitsPerCents({ decimals, rateUsd }: Price) {
  const [whole = "", fraction = ""] = rateUsd.split(".");
  const units = 10n ** BigInt(decimals + fraction.length);
  return { units, cents: BigInt(whole + fraction) * centsPerDollar };
}

/** The smallest units that settle an amount: the exact quotient, rounded up. */
export function expectedUnits(amountInCents: number, price: Price): bigint {
  const { units, cents } = unitsPerCents(price);
  return (BigInt(amountInCents) * units + cents - 1n) / cents;
}

/** The value of an amount of smallest units, in USD cents, rounded down. */
export function worthInCents(amount: bigint, price: Price): bigint {
  const { units, cents } = unitsPerCents(price);
  return (amount * cents) / units;
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
    // The sandbox charges no fees.
    amountDueCents: amountInCents,
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
