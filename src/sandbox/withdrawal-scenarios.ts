import { InvalidRequestError } from "../errors/invalid-request-error.ts";
import { NotFoundError } from "../errors/not-found-error.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import type { Clock } from "./clock.ts";
import type { RandomSource } from "./random.ts";
import { payoutReceipt } from "./receipt.ts";
import { usdcOn } from "./tokens.ts";
import type { Withdrawals } from "./withdrawals.ts";

/** What may become of a withdrawal (interface section 3.2). */
export type WithdrawalScenario = "process" | "complete" | "fail" | "cancel";

/** What the service does about withdrawals behind the scenes, done by the test instead. */
export interface SandboxWithdrawals {
  /**
   * Moves a withdrawal on at once. Nothing else does: on its own it stays `pending`.
   *
   * - `process`: `processing`; it can still complete or fail.
   * - `complete`: `completed`, with a receipt of USDC on the withdrawal's chain.
   * - `fail`: `failed`, with an `errorMessage`.
   * - `cancel`: `cancelled`, unless it is processed already.
   *
   * The merchant gets one `withdrawal.updated` webhook for each call.
   *
   * @returns The withdrawal in its new state.
   * @throws {NotFoundError} The sandbox has no such withdrawal.
   * @throws {InvalidRequestError} Its status does not allow the scenario (code
   * `withdrawal_not_pending`), or the scenario is none of these.
   * @example
   * ```ts
   * const withdrawal = await sandbox.withdrawals.simulate(withdrawalId, "complete");
   * withdrawal.receipt?.txHash; // "0x…"
   * ```
   */
  simulate(withdrawalId: string, scenario: WithdrawalScenario): Promise<Withdrawal>;
  /**
   * Every withdrawal there is, oldest first, as the service knows it, whatever its answers said. A
   * copy. Not a request: it does not show in `requests()` and meets no fault.
   */
  all(): Withdrawal[];
}

export interface WithdrawalScenariosOptions {
  readonly withdrawals: Withdrawals;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly backendWallet: string;
}

export function createWithdrawalScenarios(options: WithdrawalScenariosOptions): SandboxWithdrawals {
  const { withdrawals, clock, random, backendWallet } = options;

  async function simulate(id: string, scenario: WithdrawalScenario): Promise<Withdrawal> {
    clock.catchUp();
    const withdrawal = withdrawals.find(id);
    if (withdrawal === undefined) throw unknownWithdrawal();
    return structuredClone(play(withdrawal, scenario));
  }

  function play(withdrawal: Withdrawal, scenario: WithdrawalScenario): Withdrawal {
    switch (scenario) {
      case "process":
        checkStatus(withdrawal, ["pending"]);
        return withdrawals.transition(withdrawal, { status: "processing" });
      case "complete":
        checkStatus(withdrawal, ["pending", "processing"]);
        return withdrawals.transition(withdrawal, {
          status: "completed",
          receipt: receiptFor(withdrawal),
        });
      case "fail":
        checkStatus(withdrawal, ["pending", "processing"]);
        return withdrawals.transition(withdrawal, {
          status: "failed",
          errorMessage: "The network refused the transaction. Nothing was sent.",
        });
      case "cancel":
        checkStatus(withdrawal, ["pending"]);
        return withdrawals.transition(withdrawal, { status: "cancelled" });
      default:
        throw new InvalidRequestError(
          'There is no such scenario. Pass "process", "complete", "fail" or "cancel".',
          { code: "unknown_scenario", param: "scenario" },
        );
    }
  }

  function receiptFor(withdrawal: Withdrawal) {
    const sent = usdcOn(withdrawal.chainId);
    if (sent === undefined) throw new Error(`There is no USDC on chain ${withdrawal.chainId}.`);
    return payoutReceipt({
      withdrawal,
      sent,
      senderAddress: backendWallet,
      nowMs: clock.nowMs(),
      random: random.stream("withdrawal receipts"),
    });
  }

  return { simulate, all: () => structuredClone([...withdrawals.all()]) };
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
