import { integer } from "@optique/core/valueparser";
import { NotFoundError } from "../errors.ts";
import { newestFirst } from "../payouts/stats.ts";
import { payoutStates, payoutTables } from "../payouts/tables.ts";
import { show } from "../values.ts";
import { type Command, defineCommand, setting, toggle } from "./command.ts";
import { sqlCommand } from "./database.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import { kebab } from "./operation-options.ts";
import { csv, headerPrefix, noKey, oneOf } from "./options.ts";
import {
  by,
  cents,
  ledgerOptions,
  limits,
  orderId,
  quietMs,
  reason,
  withLedger,
} from "./payout-ledger.ts";
import { runCommand } from "./payout-run.ts";
import { mostOf, pageOptions, printList, printRecord } from "./records.ts";

const first = ["orderId", "state", "amountInCents", "chainId", "recipientAddress", "withdrawalId"];
const columns = [
  ...first,
  "transactionHash",
  "plannedBy",
  "approvedBy",
  "plannedAt",
  "sentAt",
  "finalAt",
  "waitsUntil",
  "attempts",
  "problem",
];
const table = [...first, "waitsUntil", "problem"];

const listCommand = defineCommand({
  name: "payouts list",
  brief: "List payouts.",
  description: "Lists payouts, newest first.",
  examples: [
    "settlekit payouts list --state needs_decision --sqlite shop.db",
    "settlekit payouts list --all --sqlite shop.db --json",
  ],
  options: {
    state: setting(
      "--state STATE",
      `Only payouts in this state: ${payoutStates.join(", ")}.`,
      oneOf(payoutStates),
    ).optional(),
    ...pageOptions,
    ...ledgerOptions,
    csv,
  },
  async run({ state, limit, all, csv, ...ledger }, terminal) {
    const most = mostOf({ limit, all });
    await withLedger(ledger, terminal, async (_, store) => {
      const pages = () => newestFirst(store, ledger.tenant, state, Math.min(most, 500));
      await printList({ pages }, { csv, columns, table, most }, terminal);
    });
  },
});

const showCommand = defineCommand({
  name: "payouts show",
  brief: "Print a payout with its journal.",
  description:
    "Prints a payout and its history: what happened, when, and who did it. With --json, each line has the type payout or journal.",
  examples: ["settlekit payouts show payout_1 --sqlite shop.db"],
  options: { orderId, ...ledgerOptions },
  run: ({ orderId, ...ledger }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      const payout = await payouts.get(orderId);
      if (payout === undefined) {
        const fact = `No payout has the orderId ${show(orderId)}. Check it, and --tenant.`;
        throw new NotFoundError(fact, { code: "no_payout", param: "orderId" });
      }
      if (terminal.asJson) terminal.json({ type: "payout", ...payout });
      else await printRecord(payout, terminal);
      for await (const { at, seq, event, details } of payouts.journal({ orderId })) {
        const entry = { type: "journal", seq, at: at.toISOString(), event, details };
        terminal.result(entry, `${entry.at}  ${event}  ${JSON.stringify(details)}`);
      }
    }),
});

const planCommand = defineCommand({
  name: "payouts plan",
  brief: "Plan a payout.",
  description:
    "Plans a payout, to be sent by settlekit payouts run or by your own worker. Planning it again with the same values changes nothing. Creates a missing SQLite file with its tables.",
  examples: [
    "settlekit payouts plan payout_1 --amount-in-cents 12500 --chain-id 84532 --recipient-address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --by bob --sqlite shop.db",
  ],
  options: {
    orderId,
    amountInCents: setting("--amount-in-cents CENTS", "USD cents.", cents),
    chainId: setting("--chain-id NUMBER", "The EVM chain.", integer({ min: 1 })),
    recipientAddress: setting("--recipient-address ADDRESS", "The address to pay."),
    customMetadata: setting(
      "--custom-metadata JSON",
      "Your own data, which the service stores with the withdrawal.",
    ).optional(),
    by: setting(
      "--by NAME",
      "Your name. The person who plans a payout cannot approve it.",
    ).optional(),
    limits,
    ...ledgerOptions,
    headerPrefix,
  },
  run({ by, headerPrefix, ...values }, terminal) {
    const { orderId, amountInCents, chainId, recipientAddress, customMetadata } = values;
    const input = { orderId, amountInCents, chainId, recipientAddress, customMetadata };
    const ledger = { ...values, createsFile: true, client: { headerPrefix, secretKey: noKey } };
    return withLedger(ledger, terminal, (payouts) => payouts.plan(input, { by }));
  },
});

function decisionCommand(name: "approve" | "reject" | "cancel", brief: string): Command {
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

const resolveCommand = defineCommand({
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
    const ledger = { ...values, client: { headerPrefix: values.headerPrefix } };
    return withLedger(ledger, terminal, (payouts) => payouts.resolve(orderId, resolution));
  },
});

function breakerCommand(method: "stopAll" | "reopen", brief: string, description: string): Command {
  const name = `payouts ${kebab(method)}`;
  const why = method === "stopAll" ? "a leaked key" : "replaced the leaked key";
  return defineCommand({
    name,
    brief,
    description,
    examples: [`settlekit ${name} --by ann --reason "${why}" --sqlite shop.db`],
    options: { by, reason, ...ledgerOptions },
    run: ({ by, reason, ...ledger }, terminal) =>
      withLedger(ledger, terminal, async (payouts) => {
        await payouts[method]({ by, reason });
        return payouts.stats();
      }),
  });
}

const statusCommand = defineCommand({
  name: "payouts status",
  brief: "Print the payouts' states, the budget and the breaker.",
  description:
    "Prints how many payouts are in each state, how much of the budget is spent and, while the breaker is open, why nothing is sent.",
  examples: ["settlekit payouts status --sqlite shop.db"],
  options: ledgerOptions,
  run: (ledger, terminal) => withLedger(ledger, terminal, (payouts) => payouts.stats()),
});

const verifyCommand = defineCommand({
  name: "payouts verify",
  brief: "Check the journal.",
  description:
    "Checks every entry of the journal against the one before it, and the payouts against the journal. If anything was altered, the exit code is 5, and payouts stop unless settlekit payouts reopen has accepted it.",
  examples: ["settlekit payouts verify --sqlite shop.db"],
  options: ledgerOptions,
  run: (ledger, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      const verified = await payouts.verify();
      await printRecord(verified, terminal);
      return verified.ok ? exitCodes.ok : exitCodes.api;
    }),
});

const exportCommand = defineCommand({
  name: "payouts export",
  brief: "Print all payouts for bookkeeping.",
  description:
    "Prints every payout, newest first, with its amount, recipient, transaction hash, and who planned and approved it: as CSV, or with --json as lines of JSON. With --journal, the journal as lines of JSON.",
  examples: [
    "settlekit payouts export --sqlite shop.db",
    "settlekit payouts export --journal --sqlite shop.db",
  ],
  options: {
    journal: toggle("--journal", "Every entry of the journal, with its hash."),
    ...ledgerOptions,
  },
  run: ({ journal, ...ledger }, terminal) =>
    withLedger(ledger, terminal, async (payouts, store) => {
      if (journal) {
        for await (const entry of payouts.journal()) terminal.json(entry);
        return;
      }
      const pages = () => newestFirst(store, ledger.tenant);
      await printList({ pages }, { csv: !terminal.asJson, columns }, terminal);
    }),
});

export const payoutCommands: readonly Command[] = [
  listCommand,
  showCommand,
  planCommand,
  decisionCommand("approve", "Approve a planned payout. The person who planned it cannot."),
  decisionCommand("reject", "Reject a planned payout for good, before anything is sent for it."),
  decisionCommand("cancel", "Cancel a planned payout, before anything is sent for it."),
  resolveCommand,
  breakerCommand(
    "stopAll",
    "Stop all payouts.",
    "Opens the breaker: no process sends payouts until settlekit payouts reopen. Requests in progress are not recalled. Prints the new status.",
  ),
  breakerCommand(
    "reopen",
    "Resume stopped payouts.",
    "Closes the breaker, so that payouts are sent again. Find out the cause first: settlekit payouts status. Prints the new status.",
  ),
  runCommand,
  statusCommand,
  verifyCommand,
  exportCommand,
  sqlCommand(payoutTables),
];
