import { expect } from "vitest";
import { readTolerantly } from "../../src/wire/fields.ts";
import { getPayment } from "../../src/wire/operations.ts";
import type { Payment } from "../../src/wire/payment.ts";
import type { Quote } from "../../src/wire/quote.ts";
import type { ModelPayment, ModelQuote } from "./model.ts";

/** Published: ten minutes. */
export const quoteLifetimeMs = 10 * 60_000;

/** Checks a new quote (its amount at its own rate, for ten minutes), and returns it for the model. */
export function quoteOf(quote: Quote, amountInCents: number, nowMs: number): ModelQuote {
  const expiresMs = nowMs + quoteLifetimeMs;
  expect(quote.expiresAt).toBe(new Date(expiresMs).toISOString());
  const expectedAmountAsset = unitsFor(amountInCents, quote);
  expect(quote.expectedAmountAsset).toBe(expectedAmountAsset);
  const token = `${quote.chainId} ${quote.token.contractAddress}`;
  return { id: quote.id, token, expectedAmountAsset, expiresMs, status: "active" };
}

/** The exact quotient of amount and rate, rounded up to one smallest unit. */
function unitsFor(amountInCents: number, { rateUsdAsset, token }: Quote): string {
  const [whole = "", fraction = ""] = rateUsdAsset.split(".");
  const rate = BigInt(whole + fraction);
  const dividend = BigInt(amountInCents) * 10n ** BigInt(token.decimals + fraction.length);
  const divisor = rate * 100n;
  const quotient = dividend / divisor;
  return String(quotient * divisor === dividend ? quotient : quotient + 1n);
}

/** Checks that a payment matches the model. */
export function checkPayment(payment: Payment, modelled: ModelPayment): void {
  const { id, type, orderId, amountInCents, status, quotes, isReceived, confirmations } = modelled;
  expect(payment).toMatchObject({ id, type, orderId, amountInCents, status, currency: "USD" });
  expect(payment.quotes.map(asModelled)).toEqual(quotes.map(asModelled));
  expect(payment.quotes.every(({ paymentId }) => paymentId === id)).toBe(true);
  expect(payment.depositAddress?.paymentId).toBe(id);
  expect(payment.receipt !== null).toBe(isReceived);
  expect(payment.receipt?.confirmations ?? null).toBe(confirmations);
  expect(readTolerantly(getPayment.response, payment).drift).toEqual([]);
}

function asModelled({
  id,
  status,
  expectedAmountAsset,
}: Pick<Quote, "id" | "status" | "expectedAmountAsset">) {
  return { id, status, expectedAmountAsset };
}
