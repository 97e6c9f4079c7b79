import type { Quote } from "../../src/wire/quote.ts";
import { publish, sendAll } from "./deliveries.ts";
import {
  type Attempt,
  type Model,
  type ModelPayment,
  type ModelWithdrawal,
  type PaymentStep,
  schedule,
  type WithdrawalStep,
} from "./model.ts";
import { quoteLifetimeMs, quoteOf } from "./payment-checks.ts";

const minuteMs = 60_000;
/** Assumed in docs/sandbox-reference.md. */
const paymentLifetimeMs = 15 * minuteMs;
/** Assumed in docs/sandbox-reference.md: which confirmations are shown, and how long a block takes. */
const shownConfirmations = [1, 4, 7, 10];
const blockMs = 2_000;
/** Assumed in docs/sandbox-reference.md. */
const processedAfterMs = 10_000;
const doneAfterMs = 30_000;

/** Adds a new payment, and returns the webhooks that the merchant receives. */
export function addPayment(model: Model, payment: ModelPayment): Attempt[] {
  model.payments.push(payment);
  if (payment.quotes.length > 0) scheduleQuotes(model, payment);
  const { id: paymentId } = payment;
  schedule(model, model.nowMs + paymentLifetimeMs, { kind: "payment", paymentId });
  publish(model, "payment.created", payment);
  return sendAll(model);
}

export function scheduleQuotes(model: Model, { id: paymentId }: ModelPayment): void {
  schedule(model, model.nowMs + quoteLifetimeMs, { kind: "quotes", paymentId });
}

/** Whether a step only ends a payment that has already expired. */
export function isOver({ status }: ModelPayment, step: PaymentStep): boolean {
  return (step.status === "expired" || step.status === "cancelled") && status === "expired";
}

/** Published for the testnet; late money, cancellations and refunds are assumed in docs/sandbox-reference.md. */
const outcomes: Readonly<Record<string, ModelPayment["status"]>> = {
  success: "completed",
  overpayment: "completed",
  underpayment: "failed",
  timeout: "expired",
  late: "completed",
  cancel: "cancelled",
  refund: "refunded",
  "partial-refund": "partially_refunded",
};

/** The steps of a payment's scenario, in order. */
export function paymentSteps(
  model: Model,
  payment: ModelPayment,
  { scenario, amountInCents, isOnClock }: Played & { readonly amountInCents: number },
): PaymentStep[] {
  const expiresMs = payment.createdMs + paymentLifetimeMs;
  const isExpiring =
    scenario === "timeout" || (scenario === "late" && payment.status === "pending");
  const beginMs = isExpiring ? expiresMs : model.nowMs;
  const dueMs = (confirmations: number) =>
    isOnClock ? beginMs + confirmations * blockMs : undefined;
  const steps: PaymentStep[] = [];
  if (isExpiring) {
    steps.push({ status: "expired", confirmations: null, amountInCents, dueMs: dueMs(0) });
  }
  if (scenario === "timeout") return steps;
  const outcome = outcomes[scenario] ?? "failed";
  if (["cancelled", "refunded", "partially_refunded"].includes(outcome)) {
    return [{ status: outcome, confirmations: null, amountInCents, dueMs: dueMs(1) }];
  }
  for (const confirmations of shownConfirmations) {
    const status = confirmations === 10 ? outcome : "processing";
    steps.push({ status, confirmations, amountInCents, dueMs: dueMs(confirmations) });
  }
  return steps;
}

export interface Played {
  readonly scenario: string;
  readonly isOnClock: boolean;
}

/**
 * Takes a step. The paid quote becomes used, the others expire.
 *
 * @param paid The paid quote, if any.
 */
export function takePaymentStep(
  model: Model,
  payment: ModelPayment,
  { status, confirmations, amountInCents }: Omit<PaymentStep, "dueMs">,
  paid: Quote | undefined,
): void {
  if (confirmations !== null && !payment.isReceived) {
    payment.isReceived = true;
    payment.amountInCents = amountInCents;
    // A customer may pay an amount that was never quoted.
    if (paid && !payment.quotes.some(({ id }) => id === paid.id)) {
      payment.quotes.push(quoteOf(paid, amountInCents, model.nowMs));
    }
  }
  if (confirmations !== null) payment.confirmations = confirmations;
  for (const quote of payment.quotes) {
    if (confirmations !== null && quote.id === paid?.id) quote.status = "used";
    else if (quote.status === "active") quote.status = "expired";
  }
  if (status === payment.status) return;
  payment.status = status;
  publish(model, "payment.updated", payment);
}

export function addWithdrawal(model: Model, withdrawal: ModelWithdrawal): Attempt[] {
  model.withdrawals.push(withdrawal);
  publish(model, "withdrawal.created", withdrawal);
  return sendAll(model);
}

/** The steps of a withdrawal's scenario, in order. */
export function withdrawalSteps(
  model: Model,
  withdrawal: ModelWithdrawal,
  { to, isOnClock }: { readonly to: ModelWithdrawal["status"]; readonly isOnClock: boolean },
): WithdrawalStep[] {
  const dueMs = (afterMs: number) => (isOnClock ? model.nowMs + afterMs : undefined);
  if (to === "processing" || to === "cancelled") {
    return [{ status: to, dueMs: dueMs(processedAfterMs) }];
  }
  const last: WithdrawalStep = { status: to, dueMs: dueMs(doneAfterMs) };
  if (withdrawal.status === "processing") return [last];
  return [{ status: "processing", dueMs: dueMs(processedAfterMs) }, last];
}

export function moveWithdrawal(
  model: Model,
  withdrawal: ModelWithdrawal,
  status: ModelWithdrawal["status"],
): void {
  withdrawal.status = status;
  // Interface section 3.2, rule 3, even while the clock stands still.
  withdrawal.updatedMs = Math.max(model.nowMs, withdrawal.updatedMs + 1);
  publish(model, "withdrawal.updated", withdrawal);
}

/** Schedules the next step, if the clock takes it. */
export function scheduleStep(
  model: Model,
  kind: "payment step" | "withdrawal step",
  { id, ahead }: ModelPayment | ModelWithdrawal,
): void {
  const dueMs = ahead[0]?.dueMs;
  if (dueMs !== undefined) schedule(model, dueMs, { kind, id });
}
