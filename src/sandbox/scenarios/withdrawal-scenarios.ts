import { InvalidRequestError } from "../../errors/invalid-request-error.ts";
import { NotFoundError } from "../../errors/not-found-error.ts";
import type { Withdrawal, WithdrawalStatus } from "../../wire/withdrawal.ts";
import type { Merchants } from "../records/merchants.ts";
import type { RandomSource } from "../records/random.ts";
import { payoutReceipt } from "../records/receipt.ts";
import { usdcOn } from "../records/tokens.ts";
import type { Withdrawals } from "../records/withdrawals.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../time/clock.ts";
import {
  checkNothingAhead,
  checkSteps,
  createStepPlans,
  type ScenarioSteps,
} from "./scenario-steps.ts";

/** What may become of a withdrawal (interface section 3.2). */
export type WithdrawalScenario = "process" | "complete" | "fail" | "cancel";

/** What the scenario alone does not say. */
export interface SimulateWithdrawalOptions {
  /** Default `at-once`. */
  readonly steps?: ScenarioSteps | undefined;
}

/** A step that a withdrawal's scenario still has to take. */
export interface UpcomingWithdrawalStep {
  /** What the withdrawal's status is then. */
  readonly status: WithdrawalStatus;
  /** ISO 8601, UTC, on the sandbox's clock; null where only `step` takes it. */
  readonly dueAt: string | null;
}

/** What the service does about withdrawals behind the scenes, done by the test instead. */
export interface SandboxWithdrawals {
  /**
   * Moves a withdrawal on. Nothing else does: on its own it stays `pending`.
   *
   * - `process`: `processing`; it can still complete or fail.
   * - `complete`: `completed`, with a receipt of USDC on the withdrawal's chain.
   * - `fail`: `failed`, with an `errorMessage`.
   * - `cancel`: `cancelled`, unless it is processed already.
   *
   * Step by step, `complete` and `fail` come by `processing`: on the clock after 10 seconds, and at their
   * end after 30. Every change of status sends a `withdrawal.updated` webhook.
   *
   * @returns The withdrawal as it is then; step by step, as it was.
   * @throws {NotFoundError} The sandbox has no such withdrawal.
   * @throws {InvalidRequestError} Its status does not allow the scenario (code
   * `withdrawal_not_pending`), another still has steps to go (`scenario_in_progress`), or the scenario or
   * `steps` is none of these.
   * @example
   * ```ts
   * const withdrawal = await sandbox.withdrawals.simulate(withdrawalId, "complete");
   * withdrawal.receipt?.txHash; // "0x…"
   * ```
   */
  simulate(
    withdrawalId: string,
    scenario: WithdrawalScenario,
    options?: SimulateWithdrawalOptions,
  ): Promise<Withdrawal>;
  /**
   * Takes the next step of a scenario that was begun `by-hand`, or `on-clock` before the clock does.
   *
   * @returns The withdrawal after it.
   * @throws {NotFoundError} The sandbox has no such withdrawal.
   * @throws {InvalidRequestError} code `no_steps_ahead`.
   */
  step(withdrawalId: string): Promise<Withdrawal>;
  /** The steps that a withdrawal's scenario has still to take; none where none goes on. */
  upcoming(withdrawalId: string): UpcomingWithdrawalStep[];
  /**
   * Every withdrawal there is, oldest first, as the service knows it, whatever its answers said. A
   * copy. Not a request: it does not show in `requests()` and meets no fault.
   */
  all(): Withdrawal[];
}

/** How long after its scenario began a withdrawal has come so far (assumed). */
const processingAfterMs = 10_000;
const doneAfterMs = 30_000;

type StepStatus = "processing" | "completed" | "failed" | "cancelled";

/** A step as it is kept until it is taken. */
interface WithdrawalStep {
  readonly status: StepStatus;
}

const outcomes: Readonly<
  Record<WithdrawalScenario, { readonly status: StepStatus; readonly from: readonly string[] }>
> = {
  process: { status: "processing", from: ["pending"] },
  complete: { status: "completed", from: ["pending", "processing"] },
  fail: { status: "failed", from: ["pending", "processing"] },
  cancel: { status: "cancelled", from: ["pending"] },
};

export interface WithdrawalScenariosOptions {
  readonly withdrawals: Withdrawals;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly store: Store;
  readonly merchants: Merchants;
}

export function createWithdrawalScenarios(options: WithdrawalScenariosOptions): SandboxWithdrawals {
  const { withdrawals, clock, random, store, merchants } = options;
  const plans = createStepPlans<WithdrawalStep>({ kind: "withdrawal step", clock, store, onDue });

  async function simulate(
    id: string,
    scenario: WithdrawalScenario,
    { steps = "at-once" }: SimulateWithdrawalOptions = {},
  ): Promise<Withdrawal> {
    clock.catchUp();
    const withdrawal = found(id);
    const { status, from } = outcomeOf(scenario);
    checkNothingAhead(plans.ahead(id).length);
    checkStatus(withdrawal, from);
    if (checkSteps(steps) === "at-once") return structuredClone(take(withdrawal, { status }));
    const isOnClock = steps === "on-clock";
    const planned = (step: WithdrawalStep, afterMs: number) => ({
      step,
      dueMs: isOnClock ? clock.nowMs() + afterMs : null,
    });
    const isByProcessing = withdrawal.status === "pending" && from.includes("processing");
    const isShort = !isByProcessing && withdrawal.status === "pending";
    plans.begin(id, [
      ...(isByProcessing ? [planned({ status: "processing" }, processingAfterMs)] : []),
      planned({ status }, isShort ? processingAfterMs : doneAfterMs),
    ]);
    return structuredClone(withdrawal);
  }

  async function step(id: string): Promise<Withdrawal> {
    clock.catchUp();
    const withdrawal = found(id);
    return structuredClone(take(withdrawal, plans.next(id)));
  }

  function onDue(id: string, next: WithdrawalStep): void {
    const withdrawal = withdrawals.find(id);
    if (withdrawal === undefined) return;
    const { status, orderId } = take(withdrawal, next);
    clock.report({
      at: clock.now().toISOString(),
      type: "withdrawal.moved",
      withdrawalId: id,
      orderId: orderId ?? null,
      status,
    });
  }

  function found(id: string): Withdrawal {
    const withdrawal = withdrawals.find(id);
    if (withdrawal === undefined) throw unknownWithdrawal();
    return withdrawal;
  }

  function take(withdrawal: Withdrawal, { status }: WithdrawalStep): Withdrawal {
    switch (status) {
      case "completed":
        return withdrawals.transition(withdrawal, { status, receipt: receiptFor(withdrawal) });
      case "failed":
        return withdrawals.transition(withdrawal, {
          status,
          errorMessage: "The network refused the transaction. Nothing was sent.",
        });
      default:
        return withdrawals.transition(withdrawal, { status });
    }
  }

  function receiptFor(withdrawal: Withdrawal) {
    const sent = usdcOn(withdrawal.chainId);
    if (sent === undefined) throw new Error(`There is no USDC on chain ${withdrawal.chainId}.`);
    return payoutReceipt({
      withdrawal,
      sent,
      senderAddress: (merchants.find(withdrawal.merchantId) ?? merchants.first()).backendWallet,
      nowMs: clock.nowMs(),
      random: random.stream("withdrawal receipts"),
    });
  }

  function upcoming(id: string): UpcomingWithdrawalStep[] {
    found(id);
    return plans.ahead(id).map(({ step, dueMs }) => ({
      status: step.status,
      dueAt: dueMs === null ? null : new Date(dueMs).toISOString(),
    }));
  }

  return { simulate, step, upcoming, all: () => structuredClone(withdrawals.all()) };
}

function outcomeOf(scenario: WithdrawalScenario) {
  if (typeof scenario === "string" && Object.hasOwn(outcomes, scenario)) return outcomes[scenario];
  throw new InvalidRequestError(
    'There is no such scenario. Pass "process", "complete", "fail" or "cancel".',
    { code: "unknown_scenario", param: "scenario" },
  );
}

function checkStatus({ status }: Withdrawal, allowed: readonly string[]): void {
  if (allowed.includes(status)) return;
  throw new InvalidRequestError(
    `The withdrawal is ${status}, but must be ${allowed.join(" or ")} for this. Create another one.`,
    { code: "withdrawal_not_pending", param: "withdrawalId" },
  );
}

function unknownWithdrawal(): NotFoundError {
  return new NotFoundError(
    "This sandbox has no withdrawal with that id. Pass the id of one that was created here since " +
      "the last reset.",
    { code: "not_found", param: "withdrawalId" },
  );
}
