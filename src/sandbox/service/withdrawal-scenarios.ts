import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { Core } from "../core.ts";
import type { Merchants } from "./merchants.ts";
import { withdrawalReceipt } from "./receipts.ts";
import { createScenarios, type ScenarioSteps, type Simulated, type Step } from "./scenarios.ts";
import type { Withdrawals } from "./withdrawals.ts";

/** The outcomes of a withdrawal (interface section 3.2). */
export type WithdrawalScenario = "process" | "complete" | "fail" | "cancel";

/** How a scenario is played. */
export interface SimulateWithdrawalOptions {
  /** @defaultValue `at-once` */
  readonly steps?: ScenarioSteps | undefined;
}

/** Simulates the service's processing of withdrawals. */
export interface SandboxWithdrawals extends Simulated<Withdrawal> {
  /**
   * Moves a withdrawal to another status. Without a scenario, it stays `pending`.
   *
   * - `process`: `processing`; it can still complete or fail.
   * - `complete`: `completed`, with a receipt of USDC on the withdrawal's chain.
   * - `fail`: `failed`, with an `errorMessage`.
   * - `cancel`: `cancelled`, unless it is being processed.
   *
   * Played in steps, `complete` and `fail` pass through `processing`. On the clock, they reach it after 10 seconds, and
   * end after 30. Every change of status sends a `withdrawal.updated` webhook.
   *
   * @returns The withdrawal after the scenario; the unchanged withdrawal if it is played in steps.
   * @throws {NotFoundError} when the sandbox has no such withdrawal.
   * @throws {InvalidRequestError} code `withdrawal_not_pending`, `scenario_in_progress` (another one has steps left),
   * `unknown_scenario` or `unknown_steps`.
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
}

interface Outcome {
  readonly from: readonly string[];
  readonly status: string;
  /** How long after the start of the scenario the clock reaches it (assumed). */
  readonly afterMs: number;
}

export const withdrawalOutcomes: Readonly<Record<WithdrawalScenario, Outcome>> = {
  process: { from: ["pending"], status: "processing", afterMs: 10_000 },
  complete: { from: ["pending", "processing"], status: "completed", afterMs: 30_000 },
  fail: { from: ["pending", "processing"], status: "failed", afterMs: 30_000 },
  cancel: { from: ["pending"], status: "cancelled", afterMs: 10_000 },
};

export function createWithdrawalScenarios(
  core: Core,
  withdrawals: Withdrawals,
  merchants: Merchants,
): SandboxWithdrawals {
  const { clock, random } = core;

  function plan(withdrawal: Withdrawal, scenario: WithdrawalScenario): Step[] {
    const outcome = withdrawalOutcomes[scenario];
    const isSent = withdrawal.status === "pending" && outcome.from.includes("processing");
    const reached = isSent ? [withdrawalOutcomes.process, outcome] : [outcome];
    const startMs = clock.nowMs();
    return reached.map(({ status, afterMs }) => {
      return { status, confirmations: null, dueMs: startMs + afterMs };
    });
  }

  function take(withdrawal: Withdrawal, { status }: Step): Withdrawal {
    const errorMessage = "The network rejected the transaction. Nothing was sent.";
    return withdrawals.transition(withdrawal, {
      status,
      ...(status === "completed" && { receipt: receiptFor(withdrawal) }),
      ...(status === "failed" && { errorMessage }),
    });
  }

  function receiptFor(withdrawal: Withdrawal) {
    const { backendWallet } = merchants.find(withdrawal.merchantId) ?? merchants.first();
    const draw = { nowMs: clock.nowMs(), random: random.stream("withdrawal receipts") };
    return withdrawalReceipt(withdrawal, backendWallet, draw);
  }

  return createScenarios(core, {
    ...withdrawals,
    name: "withdrawal",
    outcomes: withdrawalOutcomes,
    optionNames: ["steps"],
    plan,
    take,
  });
}
