import { UsageError } from "./exit-codes.ts";
import {
  type Command,
  clientFrom,
  defineCommand,
  headerPrefix,
  json,
  setting,
  toggle,
} from "./options.ts";
import { by, ledgerOptions, orderId, reason, withLedger } from "./payout-ledger.ts";
import { printRecord } from "./records.ts";

/** A command by which a person decides about one payout. */
export function decisionCommand(
  name: "approve" | "reject" | "cancel",
  brief: string,
  description: string,
): Command {
  const why = name === "approve" ? "" : ' --reason "unknown seller"';
  return defineCommand({
    name: `payouts ${name}`,
    brief,
    description,
    examples: [
      `settlekit payouts ${name} payout_1 --by ann${why} --sqlite shop.db`,
      `settlekit payouts ${name} payout_2 --by ann --sqlite shop.db --json`,
    ],
    options: { orderId, by, reason: reason.optional(), ...ledgerOptions, json },
    run: ({ orderId, by, reason, ...ledger }, terminal) =>
      withLedger(ledger, terminal, async (payouts) => {
        printRecord(await payouts[name](orderId, { by, reason }), terminal);
      }),
  });
}

export const resolveCommand = defineCommand({
  name: "payouts resolve",
  brief: "End a doubt about a payout.",
  description:
    "Says what became of a payout that needs a decision: which withdrawal is its own, or that it was never sent. The service is asked, and must not say otherwise.",
  examples: [
    "settlekit payouts resolve payout_1 --by ann --withdrawal-id WITHDRAWAL_ID --sqlite shop.db",
    "settlekit payouts resolve payout_2 --by ann --never-sent --sqlite shop.db --json",
  ],
  options: {
    orderId,
    by,
    withdrawalId: setting("--withdrawal-id ID", "Its withdrawal.").optional(),
    acceptDifferences: toggle(
      "--accept-differences",
      "Take the withdrawal although it has other parameters than were planned.",
    ),
    neverSent: toggle("--never-sent", "There is no withdrawal. It is sent again."),
    doNotSend: toggle("--do-not-send", "With --never-sent: end it as cancelled instead."),
    ...ledgerOptions,
    headerPrefix,
    json,
  },
  async run(values, terminal) {
    const { orderId, by, withdrawalId, neverSent, acceptDifferences, doNotSend } = values;
    if (neverSent === (withdrawalId !== undefined)) {
      throw new UsageError("Pass either --withdrawal-id ID or --never-sent.");
    }
    const resolution =
      withdrawalId === undefined
        ? ({ by, neverSent: true, sendAgain: !doNotSend } as const)
        : { by, withdrawalId, acceptDifferences };
    const client = () => clientFrom(values.headerPrefix);
    await withLedger({ ...values, client }, terminal, async (payouts) => {
      printRecord(await payouts.resolve(orderId, resolution), terminal);
    });
  },
});

export const reopenCommand = defineCommand({
  name: "payouts reopen",
  brief: "Close the breaker.",
  description:
    "Has payouts sent again after the breaker has stopped them. Find out first why: settlekit payouts status.",
  examples: [
    'settlekit payouts reopen --by ann --reason "paid twice by hand" --sqlite shop.db',
    'settlekit payouts reopen --by ann --reason "restored a backup" --tenant shop_1 --sqlite shop.db',
  ],
  options: { by, reason, ...ledgerOptions },
  run: ({ by, reason, ...ledger }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      const wasStopped = await payouts.reopen({ by, reason });
      terminal.say(wasStopped ? "Payouts are sent again." : "Payouts were not stopped.");
    }),
});
