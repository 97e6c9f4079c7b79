import { parseUnits } from "../../evm/units.ts";
import type { Quote } from "../../wire/quote.ts";
import type { RandomStream } from "../random.ts";
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

/** Smallest units for so many cents, as whole numbers. */
interface UnitsPerCents {
  readonly units: bigint;
  readonly cents: bigint;
}

/** Few prices make many quotes. */
const known = new Map<string, UnitsPerCents>();

function unitsPerCents({ decimals, rateUsd }: Price): UnitsPerCents {
  const name = `${decimals} ${rateUsd}`;
  const earlier = known.get(name);
  if (earlier !== undefined) return earlier;
  const units = 10n ** BigInt(decimals + rateDecimals);
  const result = { units, cents: parseUnits(rateUsd, rateDecimals) * centsPerDollar };
  known.set(name, result);
  return result;
}

/** What settles an amount, in smallest units: the exact quotient, rounded up to one whole unit. */
export function expectedUnits(amountInCents: number, price: Price): bigint {
  const { units, cents } = unitsPerCents(price);
  return (BigInt(amountInCents) * units + cents - 1n) / cents;
}

/** What smallest units are worth, in whole USD cents; a fraction of a cent is dropped. */
export function worthInCents(amount: bigint, price: Price): bigint {
  const { units, cents } = unitsPerCents(price);
  return (amount * cents) / units;
}

interface QuoteRequest {
  readonly paymentId: string;
  readonly amountInCents: number;
  readonly nowMs: number;
}

/** A quote for every token. */
export function quotesFor(request: QuoteRequest, random: RandomStream): Quote[] {
  const lifetime = lifetimeFrom(request.nowMs);
  return pricedTokens.map((priced) => quoteDuring(lifetime, priced, request, random.uuid()));
}

export function quoteFor(priced: PricedToken, request: QuoteRequest, id: string): Quote {
  return quoteDuring(lifetimeFrom(request.nowMs), priced, request, id);
}

function lifetimeFrom(nowMs: number): Pick<Quote, "createdAt" | "expiresAt"> {
  return {
    createdAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + quoteLifetimeMs).toISOString(),
  };
}

function quoteDuring(
  { createdAt, expiresAt }: Pick<Quote, "createdAt" | "expiresAt">,
  { token, chainId, rateUsd }: PricedToken,
  { paymentId, amountInCents }: Omit<QuoteRequest, "nowMs">,
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
    expiresAt,
    status: "active",
    createdAt,
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
