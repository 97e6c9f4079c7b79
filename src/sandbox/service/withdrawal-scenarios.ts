import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { Core } from "../core.ts";
import type { Merchants } from "./merchants.ts";
import { payoutReceipt } from "./receipts.ts";
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
   * @throws {NotFoundError} The sandbox has no such withdrawal.
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

interface WithdrawalStep extends Step {
  readonly status: "processing" | "completed" | "failed" | "cancelled";
}

interface Outcome extends Pick<WithdrawalStep, "status"> {
  readonly from: readonly string[];
  /** How long after the start of the scenario the clock reaches it (assumed). */
  readonly afterMs: number;
}

const processingAfterMs = 10_000;
const doneAfterMs = 30_000;

export const withdrawalOutcomes: Readonly<Record<WithdrawalScenario, Outcome>> = {
  process: { from: ["pending"], status: "processing", afterMs: processingAfterMs },
  complete: { from: ["pending", "processing"], status: "completed", afterMs: doneAfterMs },
  fail: { from: ["pending", "processing"], status: "failed", afterMs: doneAfterMs },
  cancel: { from: ["pending"], status: "cancelled", afterMs: processingAfterMs },
};

export function createWithdrawalScenarios(
  core: Core,
  withdrawals: Withdrawals,
  merchants: Merchants,
): SandboxWithdrawals {
  const { clock, random } = core;

  function plan(withdrawal: Withdrawal, scenario: WithdrawalScenario): WithdrawalStep[] {
    const { from, status, afterMs } = withdrawalOutcomes[scenario];
    const startMs = clock.nowMs();
    const last: WithdrawalStep = { status, confirmations: null, dueMs: startMs + afterMs };
    const isSent = withdrawal.status === "pending" && from.includes("processing");
    const processing = { status: "processing", dueMs: startMs + processingAfterMs } as const;
    return isSent ? [{ ...last, ...processing }, last] : [last];
  }

  function take(withdrawal: Withdrawal, { status }: WithdrawalStep): Withdrawal {
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
    return payoutReceipt(withdrawal, backendWallet, draw);
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
