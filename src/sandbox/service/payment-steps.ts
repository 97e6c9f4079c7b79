import { InvalidRequestError } from "../../errors.ts";
import { maxAmountInCents, type Payment } from "../../wire/payment.ts";
import type { Quote } from "../../wire/quote.ts";
import type { RandomStream } from "../random.ts";
import { closedQuotes, latestQuote, quoteFor } from "./quotes.ts";
import { receiptOf } from "./receipts.ts";
import { defaultToken } from "./tokens.ts";

/** What a customer may do; all but `late` as on the service's testnet (interface section 1). */
export type PaymentScenario = "success" | "underpayment" | "overpayment" | "timeout" | "late";

/** What Base Sepolia needs, as published. */
export const requiredConfirmations = 10;

/** Those that steps show on the way, the last one being enough. */
const shownConfirmations = [1, 4, 7, requiredConfirmations];

/** A step as it is kept until it is taken. */
export interface PaymentStep {
  readonly status: "processing" | "completed" | "failed" | "expired";
  readonly confirmations: number | null;
  /** What is due, in USD cents. */
  readonly amountInCents: number;
  /** How much of it arrives. */
  readonly tenths: number;
}

const outcomes: Readonly<
  Record<PaymentScenario, { status: "completed" | "failed" | "expired"; tenths: number }>
> = {
  success: { status: "completed", tenths: 10 },
  underpayment: { status: "failed", tenths: 9 },
  overpayment: { status: "completed", tenths: 11 },
  timeout: { status: "expired", tenths: 0 },
  late: { status: "completed", tenths: 10 },
};

/** What happens, in its order. */
export function stepsOf(
  payment: Payment,
  scenario: PaymentScenario,
  amountInCents: number,
): PaymentStep[] {
  const { status, tenths } = outcomes[scenario];
  const steps: PaymentStep[] = [];
  if (scenario === "timeout" || (scenario === "late" && payment.status === "pending")) {
    steps.push({ status: "expired", confirmations: null, amountInCents, tenths: 0 });
  }
  if (status === "expired") return steps;
  for (const confirmations of shownConfirmations) {
    const isEnough = confirmations === requiredConfirmations;
    steps.push({
      status: isEnough ? status : "processing",
      confirmations,
      amountInCents,
      tenths,
    });
  }
  return steps;
}

export function checkScenario(scenario: PaymentScenario): void {
  if (typeof scenario === "string" && Object.hasOwn(outcomes, scenario)) return;
  throw new InvalidRequestError(
    'There is no such scenario. Pass "success", "underpayment", "overpayment", "timeout" or "late".',
    { code: "unknown_scenario", param: "scenario" },
  );
}

/** Money may come late, when nothing else can happen any more. */
export function isPlayable({ status }: Payment, scenario: PaymentScenario): boolean {
  return status === "pending" || (status === "expired" && scenario === "late");
}

export function checkPlayable(payment: Payment, scenario: PaymentScenario): void {
  if (isPlayable(payment, scenario)) return;
  const { status } = payment;
  throw new InvalidRequestError(
    status === "expired"
      ? 'The payment is expired. Only "late" money can still arrive; or create another payment.'
      : `The payment is ${status} already, which is final. Create another one.`,
    { code: "payment_not_pending", param: "paymentId" },
  );
}

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
