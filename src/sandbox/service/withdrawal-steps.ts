import { InvalidRequestError } from "../../errors.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";

/** What may become of a withdrawal (interface section 3.2). */
export type WithdrawalScenario = "process" | "complete" | "fail" | "cancel";

/** A step as it is kept until it is taken. */
export interface WithdrawalStep {
  readonly status: "processing" | "completed" | "failed" | "cancelled";
}

const outcomes: Readonly<
  Record<WithdrawalScenario, WithdrawalStep & { readonly from: readonly string[] }>
> = {
  process: { status: "processing", from: ["pending"] },
  complete: { status: "completed", from: ["pending", "processing"] },
  fail: { status: "failed", from: ["pending", "processing"] },
  cancel: { status: "cancelled", from: ["pending"] },
};

/** How long after its scenario began a withdrawal has come so far (assumed). */
const processingAfterMs = 10_000;
const doneAfterMs = 30_000;

/** What a scenario comes to. */
export function lastStepOf(scenario: WithdrawalScenario): WithdrawalStep {
  return { status: outcomes[scenario].status };
}

/** What happens, in its order, and how long after the beginning the clock comes to it. */
export function stepsOf(
  { status }: Withdrawal,
  scenario: WithdrawalScenario,
): { readonly step: WithdrawalStep; readonly afterMs: number }[] {
  const last = lastStepOf(scenario);
  if (status !== "pending") return [{ step: last, afterMs: doneAfterMs }];
  const isByProcessing = outcomes[scenario].from.includes("processing");
  if (!isByProcessing) return [{ step: last, afterMs: processingAfterMs }];
  return [
    { step: { status: "processing" }, afterMs: processingAfterMs },
    { step: last, afterMs: doneAfterMs },
  ];
}

export function checkScenario(scenario: WithdrawalScenario): void {
  if (typeof scenario === "string" && Object.hasOwn(outcomes, scenario)) return;
  throw new InvalidRequestError(
    'There is no such scenario. Pass "process", "complete", "fail" or "cancel".',
    { code: "unknown_scenario", param: "scenario" },
  );
}

export function isPlayable({ status }: Withdrawal, scenario: WithdrawalScenario): boolean {
  return outcomes[scenario].from.includes(status);
}

export function checkPlayable(withdrawal: Withdrawal, scenario: WithdrawalScenario): void {
  if (isPlayable(withdrawal, scenario)) return;
  const allowed = outcomes[scenario].from.join(" or ");
  throw new InvalidRequestError(
    `The withdrawal is ${withdrawal.status}, but must be ${allowed} for this. Create another one.`,
    { code: "withdrawal_not_pending", param: "withdrawalId" },
  );
}
