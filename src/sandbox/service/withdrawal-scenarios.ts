import { NotFoundError } from "../../errors.ts";
import type { Withdrawal, WithdrawalStatus } from "../../wire/withdrawal.ts";
import type { RandomSource } from "../random.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../time/clock.ts";
import type { Merchants } from "./merchants.ts";
import { payoutReceipt } from "./receipts.ts";
import { checkNothingAhead, checkSteps, createStepPlans, type ScenarioSteps } from "./steps.ts";
import { usdcOn } from "./tokens.ts";
import {
  checkPlayable,
  checkScenario,
  lastStepOf,
  stepsOf,
  type WithdrawalScenario,
  type WithdrawalStep,
} from "./withdrawal-steps.ts";
import type { Withdrawals } from "./withdrawals.ts";

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

interface WithdrawalScenariosOptions {
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
    { steps: pace = "at-once" }: SimulateWithdrawalOptions = {},
  ): Promise<Withdrawal> {
    clock.catchUp();
    const withdrawal = found(id);
    checkScenario(scenario);
    checkNothingAhead(plans.ahead(id).length);
    checkPlayable(withdrawal, scenario);
    if (checkSteps(pace) === "at-once") {
      return structuredClone(take(withdrawal, lastStepOf(scenario)));
    }
    const beginMs = clock.nowMs();
    const planned = stepsOf(withdrawal, scenario).map(({ step, afterMs }) => {
      return { step, dueMs: pace === "on-clock" ? beginMs + afterMs : null };
    });
    plans.begin(id, planned);
    return structuredClone(withdrawal);
  }

  async function step(id: string): Promise<Withdrawal> {
    clock.catchUp();
    const withdrawal = found(id);
    return structuredClone(take(withdrawal, plans.next(id)));
  }

  function onDue(id: string, next: WithdrawalStep): void {
    const withdrawal = withdrawals.find(id);
    if (withdrawal !== undefined) take(withdrawal, next);
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

function unknownWithdrawal(): NotFoundError {
  return new NotFoundError(
    "This sandbox has no withdrawal with that id. Pass the id of one that was created here since " +
      "the last reset.",
    { code: "not_found", param: "withdrawalId" },
  );
}
