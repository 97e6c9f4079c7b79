import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { OutcomeUnknownError } from "../errors.ts";
import type { PayoutsEvent } from "../payouts/index.ts";
import { readWaiting, type Waiting } from "../payouts/stats.ts";
import { defineCommand, toggle } from "./command.ts";
import { requireProduction } from "./confirm.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { headerPrefix, production } from "./options.ts";
import { ledgerOptions, limits, quietMs, withLedger } from "./payout-ledger.ts";
import { interruptible } from "./terminal.ts";

export const runCommand = defineCommand({
  name: "payouts run",
  brief: "Send payouts that are due, and track those that were sent.",
  description:
    "Does everything that is due now, and exits; meant for a scheduler. Pass the same limits each time, or --no-limits. Payouts that are not sent are counted on stderr, with the reason. When a step fails, the last error is printed and the command ends with its exit code; a later run tries the payout again. While the breaker is open, the exit code is 5. Other processes may send payouts of this ledger at the same time.",
  examples: [
    "settlekit payouts run --per-day 500000 --approve-above 10000 --sqlite shop.db",
    "settlekit payouts run --per-payout 50000 --production --sqlite shop.db --json",
  ],
  options: {
    limits,
    noLimits: toggle("--no-limits", "Send every planned payout, whatever its amount."),
    lookFirst: toggle(
      "--look-first",
      "Search the service's list even before the first request for each payout.",
    ),
    quietMs,
    production,
    ...ledgerOptions,
    headerPrefix,
  },
  async run({ noLimits, production, headerPrefix, ...values }, terminal) {
    requireLimits(values.limits, noLimits);
    let failure: unknown;
    const onEvent = (event: PayoutsEvent) => {
      // For a payout in doubt, the cause of the doubt: a later run finds out the request's outcome.
      if (event.type === "failed" || event.type === "doubt") {
        failure = OutcomeUnknownError.is(event.error) ? event.error.cause : event.error;
      }
      if (event.type !== "changed") return;
      const { orderId, state, problem } = event.payout;
      terminal.result(event.payout, `${orderId}  ${state}  ${problem ?? ""}`.trimEnd());
    };
    await requireProduction(production);
    const ledger = { ...values, onEvent, client: { headerPrefix } };
    return withLedger(ledger, terminal, async (payouts, store) => {
      const interruption = await interruptible((signal) => {
        const aborted = once(signal, "abort").then(() => Number(signal.reason));
        return Promise.race([payouts.runDue().then(() => undefined), aborted]);
      });
      if (interruption !== undefined) {
        terminal.warn(
          "Interrupted. A request that was under way may still take effect: its payout stays in the state sending, " +
            "until a later run finds out the outcome.",
        );
      }
      const { tenant, limits } = ledger;
      const report = async () => {
        const waiting = await store.transaction(() => readWaiting(tenant, limits.approveAbove));
        for (const each of waiting) terminal.warn(textOf(each));
        const { stopped } = await payouts.stats();
        const advice = "See settlekit payouts status and reopen.";
        if (stopped) terminal.warn(`All payouts are stopped. ${stopped.reason} ${advice}`);
        return stopped;
      };
      if (interruption !== undefined) {
        // A database that no longer responds neither holds up the exit nor changes its code.
        await Promise.race([report().catch(() => undefined), setTimeout(2_000)]);
        return interruption;
      }
      const stopped = await report();
      if (failure !== undefined) throw failure;
      return stopped ? exitCodes.api : exitCodes.ok;
    });
  },
});

/** @throws {UsageError} There is no limit, perhaps because a flag was forgotten. */
function requireLimits(limits: object, noLimits: boolean): void {
  const isLimited = Object.values(limits).some((value) => value !== undefined);
  if (isLimited && noLimits) throw new UsageError("Pass limits or --no-limits, not both.");
  if (isLimited || noLimits) return;
  throw new UsageError(
    "Nothing was sent, because no limit was passed: every planned payout would be sent, without an approval. Pass " +
      "--per-payout, --per-day, --per-24-hours, --per-recipient-and-day, --recipient or --approve-above, or pass " +
      "--no-limits if that is what you want.",
  );
}

/** Why payouts are not sent yet, and what to do about it. */
function textOf({ reason, count, first, orderIds }: Waiting): string {
  const at = first?.toISOString();
  const more = count > orderIds.length ? `, and ${count - orderIds.length} more` : "";
  switch (reason) {
    case "retry":
      return `Payouts to be retried after a failure: ${count}, the first at ${at}.`;
    case "limits":
      return `Payouts held back by the limits: ${count}, the first until ${at}. A raised limit takes effect within ten minutes.`;
    case "approval":
      return `Payouts waiting for an approval: ${count} (${orderIds.join(", ")}${more}). See settlekit payouts approve.`;
    case "answer":
      return `Payouts whose request has no response yet: ${count}. A ${at ? `run after ${at}` : "later run"} finds out what happened to them.`;
    case "decision":
      return `Payouts that need a decision: ${count}. See settlekit payouts list --state needs_decision.`;
    case "turn":
      return `Payouts that are due, but were not tried: ${count}.`;
  }
}
