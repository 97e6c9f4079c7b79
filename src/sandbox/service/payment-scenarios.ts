import { NotFoundError } from "../../errors.ts";
import type { Payment } from "../../wire/payment.ts";
import type { PaymentStatus } from "../../wire/payment-status.ts";
import type { Events } from "../events.ts";
import type { RandomSource } from "../random.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../time/clock.ts";
import {
  amountDue,
  arrivalAt,
  checkPlayable,
  checkScenario,
  type PaymentScenario,
  type PaymentStep,
  requiredConfirmations,
  stepsOf,
} from "./payment-steps.ts";
import type { Payments } from "./payments.ts";
import { blockTimeMs } from "./receipts.ts";
import { checkNothingAhead, checkSteps, createStepPlans, type ScenarioSteps } from "./steps.ts";

/** What the scenario alone does not say. */
export interface SimulateOptions {
  /** For a deposit: what the customer sends, in USD cents. Default: what was quoted, or else 2500. */
  readonly amountInCents?: number | undefined;
  /** Default `at-once`. */
  readonly steps?: ScenarioSteps | undefined;
}

/** A step that a payment's scenario still has to take. */
export interface UpcomingPaymentStep {
  /** What the payment's status is then. */
  readonly status: PaymentStatus;
  /** How many blocks confirm the money then; null where none arrives. */
  readonly confirmations: number | null;
  /** ISO 8601, UTC, on the sandbox's clock; null where only `step` takes it. */
  readonly dueAt: string | null;
}

/** What a customer might do, done by the test instead. */
export interface SandboxPayments {
  /**
   * Plays one scenario on a pending payment.
   *
   * - `success`: the exact amount arrives; the payment is `completed`.
   * - `underpayment`: nine tenths arrive; `failed`.
   * - `overpayment`: eleven tenths arrive; `completed`, the excess shows in the receipt.
   * - `timeout`: nothing arrives; `expired`.
   * - `late`: the exact amount arrives when the payment has expired, which a pending one does first;
   *   `completed` all the same (assumed: the interface does not say).
   *
   * Money arrives as USDC on Base Sepolia. How much shows in `receipt.settledAmountAsset`. Step by step,
   * the payment is `processing` while `receipt.confirmations` rise to `receipt.requiredConfirmations`:
   * two seconds a block, where the clock takes the steps. A `timeout` on the clock is what the clock does
   * anyway. Every change of status sends a `payment.updated` webhook.
   *
   * @returns The payment as it is then; step by step, as it was.
   * @throws {NotFoundError} The sandbox has no such payment.
   * @throws {InvalidRequestError} The payment's status does not allow it (code `payment_not_pending`), a
   * scenario still has steps to go (`scenario_in_progress`), the scenario or `steps` is none of these, or
   * the amount does not fit.
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
   * Takes the next step of a scenario that was begun `by-hand`, or `on-clock` before the clock does.
   *
   * @returns The payment after it.
   * @throws {NotFoundError} The sandbox has no such payment.
   * @throws {InvalidRequestError} code `no_steps_ahead`.
   * @example
   * ```ts
   * await sandbox.payments.simulate(paymentId, "success", { steps: "by-hand" });
   * const payment = await sandbox.payments.step(paymentId);
   * [payment.status, payment.receipt?.confirmations]; // ["processing", 1]
   * ```
   */
  step(paymentId: string): Promise<Payment>;
  /** The steps that a payment's scenario has still to take, in their order; none where none goes on. */
  upcoming(paymentId: string): UpcomingPaymentStep[];
  /**
   * Every payment and deposit there is, oldest first, as the service knows it, whatever its answers
   * said. A copy. Not a request: it does not show in `requests()` and meets no fault.
   */
  all(): Payment[];
}

interface PaymentScenariosOptions {
  readonly payments: Payments;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly events: Events;
  readonly store: Store;
}

export function createPaymentScenarios({
  payments,
  clock,
  random,
  events,
  store,
}: PaymentScenariosOptions): SandboxPayments {
  const plans = createStepPlans<PaymentStep>({ kind: "payment step", clock, store, onDue });

  async function simulate(
    paymentId: string,
    scenario: PaymentScenario,
    { amountInCents, steps: pace = "at-once" }: SimulateOptions = {},
  ): Promise<Payment> {
    clock.catchUp();
    const payment = found(paymentId);
    checkScenario(scenario);
    checkNothingAhead(upcoming(paymentId).length);
    checkPlayable(payment, scenario);
    const steps = stepsOf(payment, scenario, amountDue(payment, amountInCents));
    // The caller gets a copy of its own: the sandbox's values never change.
    if (checkSteps(pace) === "at-once") return structuredClone(atOnce(payment, steps));
    const byHand = () => steps.map((step) => ({ step, dueMs: null }));
    plans.begin(paymentId, pace === "on-clock" ? onClock(payment, steps) : byHand());
    return structuredClone(payment);
  }

  function found(paymentId: string): Payment {
    const payment = payments.find(paymentId);
    if (payment !== undefined) return payment;
    throw new NotFoundError(
      "This sandbox has no payment with that id. Pass the paymentId of one that was created here " +
        "since the last reset.",
      { code: "not_found", param: "paymentId" },
    );
  }

  function atOnce(payment: Payment, steps: readonly PaymentStep[]): Payment {
    return steps
      .filter(({ status }) => status !== "processing")
      .reduce((before, step) => take(before, step), payment);
  }

  /** Whatever comes late comes after the expiry. */
  function onClock(payment: Payment, steps: readonly PaymentStep[]) {
    const expiresFirst = steps[0]?.status === "expired";
    const beginMs = expiresFirst ? payments.expiresMs(payment) : clock.nowMs();
    return steps.map((step) => {
      return { step, dueMs: beginMs + (step.confirmations ?? 0) * blockTimeMs };
    });
  }

  async function step(paymentId: string): Promise<Payment> {
    clock.catchUp();
    const payment = found(paymentId);
    let next = plans.next(paymentId);
    // Its time ran out by itself.
    if (isOver(payment, next)) next = plans.next(paymentId);
    return structuredClone(take(payment, next));
  }

  function onDue(paymentId: string, next: PaymentStep): void {
    const payment = payments.find(paymentId);
    if (payment !== undefined && !isOver(payment, next)) take(payment, next);
  }

  function take(payment: Payment, { status, confirmations, ...due }: PaymentStep): Payment {
    if (status === "expired") return payments.expire(payment);
    const arrived = payment.receipt
      ? payment
      : {
          ...payment,
          ...arrivalAt(payment, {
            ...due,
            nowMs: clock.nowMs(),
            random: random.stream("receipts"),
          }),
        };
    const { amountInCents, quotes } = arrived;
    const receipt = { ...arrived.receipt, confirmations, requiredConfirmations };
    // A change of status is told of as such.
    if (status === payment.status && confirmations !== null) {
      const at = clock.now().toISOString();
      const { id: paymentId, orderId } = payment;
      events.emit({
        type: "payment.moved",
        at,
        paymentId,
        orderId: orderId ?? "",
        status,
        confirmations,
        requiredConfirmations,
        eventId: null,
        event: null,
      });
    }
    return payments.transition(payment, { amountInCents, quotes, receipt, status });
  }

  function upcoming(paymentId: string): UpcomingPaymentStep[] {
    const payment = found(paymentId);
    return plans
      .ahead(paymentId)
      .filter(({ step }) => !isOver(payment, step))
      .map(({ step, dueMs }) => ({
        status: step.status,
        confirmations: step.confirmations,
        dueAt: dueMs === null ? null : new Date(dueMs).toISOString(),
      }));
  }

  return { simulate, step, upcoming, all: () => structuredClone(payments.all()) };
}

/** Whether the payment's time ran out before the scenario came to let it, whatever came after. */
function isOver(payment: Payment, step: PaymentStep): boolean {
  return step.status === "expired" && payment.status !== "pending";
}
