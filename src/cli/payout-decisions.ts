import { type Command, defineCommand, setting, toggle } from "./command.ts";
import { UsageError } from "./exit-codes.ts";
import { headerPrefix } from "./options.ts";
import { by, ledgerOptions, orderId, quietMs, reason, withLedger } from "./payout-ledger.ts";

export function decisionCommand(name: "approve" | "reject" | "cancel", brief: string): Command {
  const why = name === "approve" ? "" : ' --reason "unknown seller"';
  return defineCommand({
    name: `payouts ${name}`,
    brief,
    examples: [`settlekit payouts ${name} payout_1 --by ann${why} --sqlite shop.db`],
    options: { orderId, by, reason: reason.optional(), ...ledgerOptions },
    run: ({ orderId, by, reason, ...ledger }, terminal) =>
      withLedger(ledger, terminal, (payouts) => payouts[name](orderId, { by, reason })),
  });
}

export const resolveCommand = defineCommand({
  name: "payouts resolve",
  brief: "Record what happened to a payout in doubt.",
  description:
    "Resolves a payout in doubt: names its withdrawal, or states that it was never sent. settlekit asks the service first, and refuses a decision that contradicts the answer.",
  examples: [
    "settlekit payouts resolve payout_1 --by ann --withdrawal-id WITHDRAWAL_ID --sqlite shop.db",
    "settlekit payouts resolve payout_2 --by ann --never-sent --sqlite shop.db --json",
  ],
  options: {
    orderId,
    by,
    withdrawalId: setting("--withdrawal-id ID", "The payout's withdrawal.").optional(),
    acceptDifferences: toggle(
      "--accept-differences",
      "With --withdrawal-id: accept it even if its parameters differ from the planned ones.",
    ),
    neverSent: toggle("--never-sent", "There is no withdrawal. The payout is sent again."),
    doNotSend: toggle("--do-not-send", "With --never-sent: cancel the payout instead."),
    quietMs,
    ...ledgerOptions,
    headerPrefix,
  },
  async run(values, terminal) {
    const { orderId, by, withdrawalId, neverSent, acceptDifferences, doNotSend } = values;
    if (neverSent === (withdrawalId !== undefined)) {
      throw new UsageError("Pass either --withdrawal-id ID or --never-sent.");
    }
    if (doNotSend && !neverSent) throw new UsageError("--do-not-send needs --never-sent.");
    if (acceptDifferences && neverSent) {
      throw new UsageError("--accept-differences needs --withdrawal-id ID.");
    }
    const resolution =
      withdrawalId === undefined
        ? ({ by, neverSent: true, sendAgain: !doNotSend } as const)
        : { by, withdrawalId, acceptDifferences };
    return withLedger(values, terminal, (payouts) => payouts.resolve(orderId, resolution));
  },
});

export function breakerCommand(name: "stop-all" | "reopen", brief: string, note: string): Command {
  return defineCommand({
    name: `payouts ${name}`,
    brief,
    description: note,
    examples: [`settlekit payouts ${name} --by ann --reason "a leaked key" --sqlite shop.db`],
    options: { by, reason, ...ledgerOptions },
    run: ({ by, reason, ...ledger }, terminal) =>
      withLedger(ledger, terminal, async (payouts) => {
        if (name === "reopen") return { wasStopped: await payouts.reopen({ by, reason }) };
        return { wasStopped: !(await payouts.stopAll({ by, reason })) };
      }),
  });
}
