import { InvalidRequestError } from "../../errors.ts";
import type { Withdrawal, WithdrawalStatus } from "../../wire/withdrawal.ts";
import type { Core } from "../core.ts";
import type { Merchants } from "./merchants.ts";
import { payoutReceipt } from "./receipts.ts";
import { createScenarios, type ScenarioSteps, type Step } from "./scenarios.ts";
import { usdcOn } from "./tokens.ts";
import type { Withdrawals } from "./withdrawals.ts";

/** Outcomes of a withdrawal (interface section 3.2). */
export type WithdrawalScenario = "process" | "complete" | "fail" | "cancel";

/** How a scenario is played. */
export interface SimulateWithdrawalOptions {
  /** @defaultValue `at-once` */
  readonly steps?: ScenarioSteps | undefined;
}

/** A step of a withdrawal's scenario that is waiting to be taken. */
export interface UpcomingWithdrawalStep {
  /** The withdrawal's status after it. */
  readonly status: WithdrawalStatus;
  /** ISO 8601, UTC, on the sandbox's clock; null when only `step` takes it. */
  readonly dueAt: string | null;
}

/** Plays the service's processing of withdrawals. */
export interface SandboxWithdrawals {
  /**
   * Moves a withdrawal to another status. Without it, a withdrawal stays `pending`.
   *
   * - `process`: `processing`; it can still complete or fail.
   * - `complete`: `completed`, with a receipt of USDC on the withdrawal's chain.
   * - `fail`: `failed`, with an `errorMessage`.
   * - `cancel`: `cancelled`, unless it is being processed.
   *
   * Step by step, `complete` and `fail` pass through `processing`: on the clock after 10 seconds, and end
   * after 30. Every change of status sends a `withdrawal.updated` webhook.
   *
   * @returns The withdrawal after the scenario; step by step, as it was.
   * @throws {NotFoundError} The sandbox has no such withdrawal.
   * @throws {InvalidRequestError} Its status does not allow the scenario (code
   * `withdrawal_not_pending`), another scenario has steps left (`scenario_in_progress`), or the scenario
   * (`unknown_scenario`) or `steps` (`unknown_steps`) is unknown.
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
   * Takes the next step of a scenario that was started `by-hand`, or of one `on-clock` before it is due.
   *
   * @returns The withdrawal after the step.
   * @throws {NotFoundError} The sandbox has no such withdrawal.
   * @throws {InvalidRequestError} code `no_steps_ahead`.
   */
  step(withdrawalId: string): Promise<Withdrawal>;
  /** The steps that the withdrawal's scenario has left; empty when none is in progress. */
  upcoming(withdrawalId: string): UpcomingWithdrawalStep[];
  /**
   * A copy of every withdrawal, oldest first, as the service stores it, even if a fault changed its answers. Not a request:
   * it is not listed in `requests()` and meets no fault.
   */
  all(): Withdrawal[];
}

type WithdrawalStep = Step<"processing" | "completed" | "failed" | "cancelled">;

const outcomes = {
  process: { status: "processing", from: ["pending"] },
  complete: { status: "completed", from: ["pending", "processing"] },
  fail: { status: "failed", from: ["pending", "processing"] },
  cancel: { status: "cancelled", from: ["pending"] },
} as const satisfies Record<
  WithdrawalScenario,
  { status: WithdrawalStep["status"]; from: readonly string[] }
>;
const scenarios = Object.keys(outcomes) as WithdrawalScenario[];

/** How long after the start of a scenario the clock reaches each status (assumed). */
const processingAfterMs = 10_000;
const doneAfterMs = 30_000;

export function createWithdrawalScenarios(
  core: Core,
  withdrawals: Withdrawals,
  merchants: Merchants,
): SandboxWithdrawals {
  const { clock, random } = core;

  function plan(withdrawal: Withdrawal, scenario: WithdrawalScenario): WithdrawalStep[] {
    const { status } = outcomes[scenario];
    const startMs = clock.nowMs();
    const passesThrough = status === "completed" || status === "failed";
    const lastAfterMs =
      passesThrough || withdrawal.status !== "pending" ? doneAfterMs : processingAfterMs;
    const last = { status, dueMs: startMs + lastAfterMs, isBetween: false };
    if (!passesThrough || withdrawal.status !== "pending") return [last];
    const processing = { status: "processing", dueMs: startMs + processingAfterMs } as const;
    return [{ ...processing, isBetween: true }, last];
  }

  function take(withdrawal: Withdrawal, { status }: Pick<WithdrawalStep, "status">): Withdrawal {
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

  return createScenarios(core, {
    ...withdrawals,
    name: "withdrawal",
    scenarios,
    optionNames: ["steps"],
    checkPlayable,
    plan,
    take,
    shown: ({ status }) => ({ status }),
  });
}

export function isWithdrawalPlayable(
  { status }: Withdrawal,
  scenario: WithdrawalScenario,
): boolean {
  const from: readonly string[] = outcomes[scenario].from;
  return from.includes(status);
}

function checkPlayable(withdrawal: Withdrawal, scenario: WithdrawalScenario): void {
  if (isWithdrawalPlayable(withdrawal, scenario)) return;
  const allowed = outcomes[scenario].from.join(" or ");
  throw new InvalidRequestError(
    `The withdrawal is ${withdrawal.status}, but must be ${allowed} for this. Create another one.`,
    { code: "withdrawal_not_pending", param: "withdrawalId" },
  );
}
