import { InvalidRequestError } from "../../errors.ts";
import { maxAmountInCents, type Payment } from "../../wire/payment.ts";

import type { Quote } from "../../wire/quote.ts";
import type { RandomStream } from "../random.ts";
import { closedQuotes, latestQuote, quoteFor } from "../records/quotes.ts";
import { receiptOf } from "../records/receipt.ts";
import { defaultToken } from "../records/tokens.ts";

const usualDepositInCents = 2_500;

/** Money on its way to a payment. */
interface Arrival {
  /** What is due, in USD cents. */
  readonly amountInCents: number;
  /** How much of it arrives. */
  readonly tenths: number;
  readonly nowMs: number;
  readonly random: RandomStream;
}

/** What changes about a payment when money arrives: the paid quote is used, the others are over. */
export function arrivalAt(
  payment: Payment,
  { amountInCents, tenths, nowMs, random }: Arrival,
): Pick<Payment, "amountInCents" | "quotes" | "receipt"> {
  const exact = quoteFor(defaultToken, { paymentId: payment.id, amountInCents, nowMs }, "");
  const latest = latestQuote(payment.quotes, defaultToken);
  // A customer may send another amount for a deposit than the one that was quoted.
  const isOffered = latest?.expectedAmountAsset === exact.expectedAmountAsset;
  const quote: Quote = {
    ...(isOffered ? latest : { ...exact, id: random.uuid() }),
    status: "used",
  };
  const all = isOffered ? payment.quotes : [...payment.quotes, quote];
  const quotes = closedQuotes(all, quote);
  const units = (BigInt(quote.expectedAmountAsset) * BigInt(tenths)) / 10n;
  return { amountInCents, quotes, receipt: receiptOf({ quote, units, nowMs, random }) };
}

/** What the customer owes, in USD cents: a deposit's amount is whatever the customer chooses. */
export function amountDue(payment: Payment, chosenInCents: number | undefined): number {
  if (payment.type !== "deposit") {
    if (chosenInCents === undefined) return payment.amountInCents;
    throw invalidAmount("applies to deposits only: this payment has its own amount. Leave it out.");
  }
  const quotedInCents = payment.amountInCents === 0 ? usualDepositInCents : payment.amountInCents;
  const amountInCents = chosenInCents ?? quotedInCents;
  if (Number.isInteger(amountInCents) && amountInCents >= 1 && amountInCents <= maxAmountInCents) {
    return amountInCents;
  }
  throw invalidAmount(`must be a whole number of USD cents from 1 to ${maxAmountInCents}.`);
}

function invalidAmount(problem: string): InvalidRequestError {
  return new InvalidRequestError(`amountInCents ${problem}`, {
    code: "invalid_amount",
    param: "amountInCents",
  });
}
