import { InvalidRequestError } from "../../errors.ts";
import type { Payment } from "../../wire/payment.ts";

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
