import { invalidArgument } from "../../values.ts";
import { maxAmountInCents, type Payment } from "../../wire/payment.ts";
import type { Quote } from "../../wire/quote.ts";
import { isWholeWithin } from "../checks.ts";
import type { Core } from "../core.ts";
import type { Payments } from "./payments.ts";
import { latestQuote, quoteFor, withQuote } from "./quotes.ts";
import { blockTimeMs, paymentReceipt } from "./receipts.ts";
import { createScenarios, type ScenarioSteps, type Simulated, type Step } from "./scenarios.ts";
import { defaultToken } from "./tokens.ts";

/**
 * Scenarios for a payment. The first four exist on the service's testnet (interface section 1); the others are
 * assumed.
 */
export type PaymentScenario =
  | "success"
  | "underpayment"
  | "overpayment"
  | "timeout"
  | "late"
  | "cancel"
  | "refund"
  | "partial-refund";

/** How a scenario is played. */
export interface SimulateOptions {
  /** For a deposit: the amount that the customer sends, in USD cents. @defaultValue the quoted amount, or 2500 */
  readonly amountInCents?: number | undefined;
  /** @defaultValue `at-once` */
  readonly steps?: ScenarioSteps | undefined;
}

/** Simulates customers, and later actions of the service, such as refunds. */
export interface SandboxPayments extends Simulated<Payment> {
  /**
   * Plays a scenario on a payment, which must be pending unless the scenario says otherwise.
   *
   * - `success`: the exact amount arrives; `completed`.
   * - `underpayment`: 90% of the amount arrives; `failed`.
   * - `overpayment`: 110% of the amount arrives; `completed`, with the excess in the receipt.
   * - `timeout`: nothing arrives; `expired`.
   * - `late`: the payment expires, if it has not, then the exact amount arrives; `completed`.
   * - `cancel`: `cancelled`.
   * - `refund` of a completed or partially refunded payment: `refunded`. The receipt stays.
   * - `partial-refund` of a completed payment: `partially_refunded`. The receipt stays.
   *
   * Money arrives as USDC on Base Sepolia; `receipt.settledAmountAsset` is the amount. Played in steps, the payment is
   * `processing` while `receipt.confirmations` rises to `receipt.requiredConfirmations`; on the clock, by one block
   * every two seconds. Every change of status sends a `payment.updated` webhook.
   *
   * @returns The payment after the scenario; the unchanged payment if it is played in steps.
   * @throws {NotFoundError} when the sandbox has no such payment.
   * @throws {InvalidRequestError} code `payment_not_pending`, `payment_not_paid` (for a refund),
   * `scenario_in_progress` (another one has steps left), `unknown_scenario`, `unknown_steps` or `invalid_amount`.
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
}

interface PaymentStep extends Step {
  /** The amount due, in USD cents. */
  readonly amountInCents: number;
  /** How many tenths of it arrive. */
  readonly tenths: number;
}

interface Outcome extends Pick<PaymentStep, "status" | "tenths"> {
  readonly from: readonly string[];
}

export const paymentOutcomes: Readonly<Record<PaymentScenario, Outcome>> = {
  success: { from: ["pending"], status: "completed", tenths: 10 },
  underpayment: { from: ["pending"], status: "failed", tenths: 9 },
  overpayment: { from: ["pending"], status: "completed", tenths: 11 },
  late: { from: ["pending", "expired"], status: "completed", tenths: 10 },
  timeout: { from: ["pending"], status: "expired", tenths: 0 },
  cancel: { from: ["pending"], status: "cancelled", tenths: 0 },
  refund: { from: ["completed", "partially_refunded"], status: "refunded", tenths: 0 },
  "partial-refund": { from: ["completed"], status: "partially_refunded", tenths: 0 },
};

/** For Base Sepolia, as published. */
const requiredConfirmations = 10;
/** The numbers of confirmations that the steps go through. */
const shownConfirmations = [1, 4, 7, requiredConfirmations];

export function createPaymentScenarios(core: Core, payments: Payments): SandboxPayments {
  const { clock, random } = core;

  function plan(
    payment: Payment,
    scenario: PaymentScenario,
    options: SimulateOptions,
  ): PaymentStep[] {
    const { status, tenths } = paymentOutcomes[scenario];
    const amountInCents = amountDue(payment, options.amountInCents);
    const step = (status: string, dueMs: number, confirmations: number | null = null) => {
      return { status, confirmations, dueMs, amountInCents, tenths };
    };
    const nowMs = clock.nowMs();
    const expiry = step("expired", payments.expiresMs(payment));
    if (status === "expired") return [expiry];
    if (tenths === 0) return [step(status, nowMs + blockTimeMs)];
    const isLate = scenario === "late" && payment.status === "pending";
    const startMs = isLate ? expiry.dueMs : nowMs;
    const confirming = shownConfirmations.map((confirmations) => {
      const reached = confirmations < requiredConfirmations ? "processing" : status;
      return step(reached, startMs + confirmations * blockTimeMs, confirmations);
    });
    return isLate ? [expiry, ...confirming] : confirming;
  }

  function take(payment: Payment, step: PaymentStep): Payment {
    const { status, confirmations } = step;
    if (confirmations === null) return payments.transition(payment, { status });
    const arrived = payment.receipt ? payment : { ...payment, ...arrival(payment, step) };
    const { amountInCents, quotes } = arrived;
    const receipt = { ...arrived.receipt, confirmations, requiredConfirmations };
    return payments.transition(payment, { amountInCents, quotes, receipt, status });
  }

  /** The changes when money arrives: the paid quote becomes used. */
  function arrival(payment: Payment, { amountInCents, tenths }: PaymentStep) {
    const nowMs = clock.nowMs();
    const draws = random.stream("receipts");
    const exact = quoteFor(defaultToken, { paymentId: payment.id, amountInCents, nowMs }, "");
    const latest = latestQuote(payment.quotes, defaultToken);
    // A deposit's customer may send a different amount from the quoted one.
    const isOffered = latest?.expectedAmountAsset === exact.expectedAmountAsset;
    const quote: Quote = {
      ...(isOffered ? latest : { ...exact, id: draws.uuid() }),
      status: "used",
    };
    const quotes = withQuote(payment.quotes, quote);
    const units = (BigInt(quote.expectedAmountAsset) * BigInt(tenths)) / 10n;
    const receipt = paymentReceipt(quote, units, { nowMs, random: draws });
    return { amountInCents, quotes, receipt };
  }

  return createScenarios(core, {
    ...payments,
    name: "payment",
    outcomes: paymentOutcomes,
    optionNames: ["amountInCents", "steps"],
    plan,
    take,
  });
}

const defaultDepositInCents = 2_500;

/** The amount due, in USD cents; for a deposit, the customer chooses it. */
function amountDue(payment: Payment, chosenInCents: number | undefined): number {
  const isDeposit = payment.type === "deposit";
  if (!isDeposit && chosenInCents === undefined) return payment.amountInCents;
  // A deposit's amount is 0 until it is quoted.
  const amountInCents = chosenInCents ?? (payment.amountInCents || defaultDepositInCents);
  if (isDeposit && isWholeWithin(amountInCents, 1, maxAmountInCents)) return amountInCents;
  const problem = isDeposit
    ? `must be a whole number of USD cents from 1 to ${maxAmountInCents}.`
    : "applies to deposits only: this payment has its own amount. Leave it out.";
  throw invalidArgument("amountInCents", `amountInCents ${problem}`, "invalid_amount");
}
