import { object } from "@optique/core/constructs";
import { message } from "@optique/core/message";
import { UsageError } from "./exit-codes.ts";
import {
  type Command,
  defineCommand,
  headerPrefix,
  json,
  setting,
  toggle,
  word,
} from "./options.ts";
import {
  by,
  configured,
  type Ledger,
  ledgerOptions,
  orderId,
  payoutRecord,
  reason,
  withLedger,
} from "./payout-ledger.ts";
import { printRecord } from "./records.ts";

/** A command by which a person decides about one payout. */
export function decisionCommand(
  name: "approve" | "reject" | "cancel",
  brief: ReturnType<typeof message>,
  description: ReturnType<typeof message>,
): Command {
  const why = name === "approve" ? "" : ' --reason "unknown seller"';
  return defineCommand({
    name,
    brief,
    description,
    examples: [
      `settlekit payouts ${name} payout_1 --by ann${why} --sqlite shop.db`,
      `settlekit payouts ${name} payout_2 --by ann --sqlite shop.db --json`,
    ],
    options: object("Options", {
      orderId,
      by,
      reason: reason.optional(),
      ledger: ledgerOptions,
      json,
    }),
    run: ({ orderId, by, reason, ledger, json }, terminal) =>
      withLedger(ledger, terminal, async (payouts) => {
        const decided = await payouts[name](orderId, { by, reason });
        printRecord(payoutRecord(decided), { json }, terminal);
      }),
  });
}

export const resolveCommand = defineCommand({
  name: "resolve",
  brief: message`End a doubt about a payout.`,
  description: message`Says what became of a payout that needs a decision: which withdrawal is its own, or that it was never sent. The service is asked, and must not say otherwise.`,
  examples: [
    "settlekit payouts resolve payout_1 --by ann --withdrawal-id WITHDRAWAL_ID --sqlite shop.db",
    "settlekit payouts resolve payout_2 --by ann --never-sent --sqlite shop.db --json",
  ],
  options: object("Options", {
    orderId,
    by,
    withdrawalId: setting("--withdrawal-id", word("ID"), message`Its withdrawal.`).optional(),
    acceptDifferences: toggle(
      "--accept-differences",
      message`Take the withdrawal although it has other parameters than were planned.`,
    ),
    neverSent: toggle("--never-sent", message`There is no withdrawal. It is sent again.`),
    doNotSend: toggle("--do-not-send", message`With --never-sent: end it as cancelled instead.`),
    ledger: ledgerOptions,
    headerPrefix,
    json,
  }),
  run(values, terminal) {
    const { orderId, by, withdrawalId, acceptDifferences, neverSent, doNotSend } = values;
    const { ledger, headerPrefix, json } = values;
    if (neverSent === (withdrawalId !== undefined)) {
      throw new UsageError("Pass either --withdrawal-id ID or --never-sent.");
    }
    const resolution =
      withdrawalId === undefined
        ? ({ by, neverSent: true, sendAgain: !doNotSend } as const)
        : { by, withdrawalId, acceptDifferences };
    const resolve = async (payouts: Ledger) =>
      printRecord(payoutRecord(await payouts.resolve(orderId, resolution)), { json }, terminal);
    return withLedger(ledger, terminal, resolve, { client: () => configured(headerPrefix) });
  },
});

export const reopenCommand = defineCommand({
  name: "reopen",
  brief: message`Close the breaker.`,
  description: message`Has payouts sent again after the breaker has stopped them. Find out first why: settlekit payouts status.`,
  examples: [
    'settlekit payouts reopen --by ann --reason "paid twice by hand" --sqlite shop.db',
    'settlekit payouts reopen --by ann --reason "restored a backup" --tenant shop_1 --sqlite shop.db',
  ],
  options: object("Options", { by, reason, ledger: ledgerOptions }),
  run: ({ by, reason, ledger }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      const wasStopped = await payouts.reopen({ by, reason });
      terminal.say(wasStopped ? "Payouts are sent again." : "They were not stopped.");
    }),
});
