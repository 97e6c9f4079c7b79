import { InvalidRequestError } from "../errors/invalid-request-error.ts";
import { NotFoundError } from "../errors/not-found-error.ts";
import type { Payment } from "../wire/payment.ts";
import { maxAmountInCents } from "../wire/payment-creation.ts";
import type { Quote } from "../wire/quote.ts";
import type { Clock } from "./clock.ts";
import type { Payments } from "./payments.ts";
import { closedQuotes, latestQuote, quoteFor } from "./quotes.ts";
import type { RandomSource } from "./random.ts";
import { receiptOf } from "./receipt.ts";
import { defaultToken } from "./tokens.ts";

/** What a customer may do, as on the service's testnet (interface section 1). */
export type PaymentScenario = "success" | "underpayment" | "overpayment" | "timeout";

/** What the scenario alone does not say. */
export interface SimulateOptions {
  /** For a deposit: what the customer sends, in USD cents. Default: what was quoted, or else 2500. */
  readonly amountInCents?: number | undefined;
}

/** What a customer might do, done by the test instead. */
export interface SandboxPayments {
  /**
   * Plays one scenario on a pending payment at once, without waiting for the clock.
   *
   * - `success`: the exact amount arrives; the payment is `completed`.
   * - `underpayment`: nine tenths arrive; `failed`.
   * - `overpayment`: eleven tenths arrive; `completed`, the excess shows in the receipt.
   * - `timeout`: nothing arrives; `expired`.
   *
   * Money arrives as USDC on Base Sepolia. Whether it settles shows in `status`, how much arrived in
   * `receipt.settledAmountAsset`. The merchant gets a `payment.updated` webhook.
   *
   * @returns The payment in its new state.
   * @throws {NotFoundError} The sandbox has no such payment.
   * @throws {InvalidRequestError} The payment is final already (code `payment_not_pending`), the
   * scenario is none of these, or the amount does not fit.
   * @example
   * ```ts
   * const payment = await sandbox.payments.simulate(paymentId, "success");
   * payment.status; // "completed"
   * ```
   */
  simulate(
    paymentId: string,
    scenario: PaymentScenario,
    options?: SimulateOptions,
  ): Promise<Payment>;
  /**
   * Every payment and deposit there is, oldest first, as the service knows it, whatever its answers
   * said. A copy. Not a request: it does not show in `requests()` and meets no fault.
   */
  all(): Payment[];
}

const usualDepositInCents = 2_500;

export interface PaymentScenariosOptions {
  readonly payments: Payments;
  readonly clock: Clock;
  readonly random: RandomSource;
}

export function createPaymentScenarios({
  payments,
  clock,
  random,
}: PaymentScenariosOptions): SandboxPayments {
  async function simulate(
    paymentId: string,
    scenario: PaymentScenario,
    { amountInCents }: SimulateOptions = {},
  ): Promise<Payment> {
    clock.catchUp();
    const payment = pendingPayment(paymentId);
    const dueInCents = amountDue(payment, amountInCents);
    const final = play(payment, scenario, dueInCents);
    // The caller gets a copy of its own: the sandbox's values never change.
    return structuredClone(final);
  }

  function pendingPayment(paymentId: string): Payment {
    const payment = payments.find(paymentId);
    if (payment === undefined) {
      throw new NotFoundError(
        "This sandbox has no payment with that id. Pass the paymentId of one that was created here " +
          "since the last reset.",
        { code: "not_found", param: "paymentId" },
      );
    }
    if (payment.status !== "pending") {
      throw new InvalidRequestError(
        `The payment is ${payment.status} already, which is final. Create another one.`,
        { code: "payment_not_pending", param: "paymentId" },
      );
    }
    return payment;
  }

  function play(payment: Payment, scenario: PaymentScenario, dueInCents: number): Payment {
    switch (scenario) {
      case "success":
        return settle(payment, dueInCents, "completed", 10n);
      case "underpayment":
        return settle(payment, dueInCents, "failed", 9n);
      case "overpayment":
        return settle(payment, dueInCents, "completed", 11n);
      case "timeout":
        return payments.expire(payment);
      default:
        throw new InvalidRequestError(
          'There is no such scenario. Pass "success", "underpayment", "overpayment" or "timeout".',
          { code: "unknown_scenario", param: "scenario" },
        );
    }
  }

  /** Lets so many tenths of what is due arrive. */
  function settle(
    payment: Payment,
    amountInCents: number,
    status: "completed" | "failed",
    tenths: bigint,
  ): Payment {
    const nowMs = clock.nowMs();
    const draws = random.stream("receipts");
    const exact = quoteFor(defaultToken, { paymentId: payment.id, amountInCents, nowMs }, "");
    const latest = latestQuote(payment.quotes, defaultToken);
    // A customer may send another amount for a deposit than the one that was quoted.
    const isOffered = latest?.expectedAmountAsset === exact.expectedAmountAsset;
    const quote: Quote = {
      ...(isOffered ? latest : { ...exact, id: draws.uuid() }),
      status: "used",
    };
    const all = isOffered ? payment.quotes : [...payment.quotes, quote];
    const quotes = closedQuotes(all, quote);
    const units = (BigInt(quote.expectedAmountAsset) * tenths) / 10n;
    const receipt = receiptOf({ quote, units, nowMs, random: draws });
    return payments.transition(payment, { amountInCents, quotes, receipt, status });
  }

  return { simulate, all: () => structuredClone([...payments.all()]) };
}

/** What the customer owes, in USD cents: a deposit's amount is whatever the customer chooses. */
function amountDue(payment: Payment, chosenInCents: number | undefined): number {
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
