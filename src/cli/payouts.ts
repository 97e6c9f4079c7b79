import { object } from "@optique/core/constructs";
import { choice, integer } from "@optique/core/valueparser";
import { NotFoundError, OutcomeUnknownError } from "../errors.ts";
import type { PayoutsEvent } from "../payouts/index.ts";
import { readRetries } from "../payouts/stats.ts";
import { payoutStates, payoutTables } from "../payouts/tables.ts";
import { show } from "../values.ts";
import { production, requireProduction } from "./confirm.ts";
import { sqlCommand } from "./database.ts";
import { exitCodes } from "./exit-codes.ts";
import {
  type Command,
  clientFrom,
  csv,
  defineCommand,
  headerPrefix,
  json,
  setting,
  toggle,
} from "./options.ts";
import { decisionCommand, reopenCommand, resolveCommand } from "./payout-decisions.ts";
import {
  by,
  cents,
  type Ledger,
  ledgerOptions,
  limits,
  orderId,
  withLedger,
} from "./payout-ledger.ts";
import { printList, printRecord } from "./records.ts";

const columns = [
  "orderId",
  "state",
  "amountInCents",
  "chainId",
  "recipientAddress",
  "withdrawalId",
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
const tableColumns = columns.filter((name) => !/At$|Hash|attempts/.test(name));

const listCommand = defineCommand({
  name: "payouts list",
  brief: "List payouts of the ledger.",
  description: "Lists payouts in the order of planning.",
  examples: [
    "settlekit payouts list --state needs_decision --sqlite shop.db",
    "settlekit payouts list --limit 1000 --sqlite shop.db --json",
  ],
  options: {
    state: setting(
      "--state STATE",
      "Only those in this state.",
      choice([...payoutStates]),
    ).optional(),
    limit: setting("--limit NUMBER", "How many to print at most.", integer({ min: 1 })).withDefault(
      100,
    ),
    ...ledgerOptions,
    csv,
    json,
  },
  run: ({ state, limit, csv, ...ledger }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      const page = await payouts.list({ state, limit });
      await printList(page, { csv, columns: csv ? columns : tableColumns }, terminal);
    }),
});

const showCommand = defineCommand({
  name: "payouts show",
  brief: "Print a payout with its journal.",
  description: "Prints a payout and its history: what happened, when, and who did it.",
  examples: [
    "settlekit payouts show payout_1 --sqlite shop.db",
    "settlekit payouts show payout_1 --sqlite shop.db --json",
  ],
  options: { orderId, ...ledgerOptions, json },
  run: ({ orderId, ...ledger }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      const payout = await payouts.get(orderId);
      if (payout === undefined) {
        const fact = `No payout is planned with the orderId ${show(orderId)}.`;
        throw new NotFoundError(fact, { code: "no_payout", param: "orderId" });
      }
      printRecord(payout, terminal);
      for await (const { at, seq, event, details } of payouts.journal({ orderId })) {
        const entry = { seq, at: at.toISOString(), event, details };
        if (terminal.asJson) terminal.json(entry);
        else terminal.print(`${entry.at}  ${event}  ${JSON.stringify(details)}`);
      }
    }),
});

const planCommand = defineCommand({
  name: "payouts plan",
  brief: "Plan a payout.",
  description:
    "Plans a payout, which settlekit payouts run, or your own worker, sends. Planned again with the same values, it is left as it is.",
  examples: [
    "settlekit payouts plan payout_1 --amount-in-cents 12500 --chain-id 84532 --recipient-address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --by bob --sqlite shop.db",
    "settlekit payouts plan payout_2 --amount-in-cents 8050 --chain-id 84532 --recipient-address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --sqlite shop.db --json",
  ],
  options: {
    orderId,
    input: object({
      amountInCents: setting("--amount-in-cents CENTS", "USD cents.", cents),
      chainId: setting("--chain-id NUMBER", "The EVM chain.", integer({ min: 1 })),
      recipientAddress: setting("--recipient-address ADDRESS", "The beneficiary."),
      customMetadata: setting("--custom-metadata JSON", "Sent along.").optional(),
    }),
    by: by.optional(),
    limits,
    ...ledgerOptions,
    headerPrefix,
    json,
  },
  run({ orderId, input, by, limits, headerPrefix, ...ledger }, terminal) {
    const client = () => clientFrom(headerPrefix);
    const options = { ...ledger, client, limits, createsFile: true };
    return withLedger(options, terminal, async (payouts) => {
      await payouts.migrate();
      printRecord(await payouts.plan({ orderId, ...input }, { by }), terminal);
    });
  },
});

const runCommand = defineCommand({
  name: "payouts run",
  brief: "Send what is due, and follow what was sent.",
  description:
    "Does everything that is due now, and ends: for a scheduler. When a step failed, it prints the last error and ends with its exit code; the payout is tried again by a later run. While the breaker stops all payouts, the exit code is 5. Workers of your own may run at the same time. Pass the same limits each time.",
  examples: [
    "settlekit payouts run --per-day 500000 --approve-above 10000 --sqlite shop.db",
    "settlekit payouts run --per-payout 50000 --production --sqlite shop.db --json",
  ],
  options: {
    limits,
    lookFirst: toggle(
      "--look-first",
      "Search the service's list before the first request of each payout, too.",
    ),
    production,
    ...ledgerOptions,
    headerPrefix,
    json,
  },
  run({ production, headerPrefix, ...ledger }, terminal) {
    let failure: unknown;
    const onEvent = (event: PayoutsEvent) => {
      // Of a doubt, what led to it: a later run finds out what became of the request.
      if (event.type === "failed" || event.type === "doubt") {
        failure = OutcomeUnknownError.is(event.error) ? event.error.cause : event.error;
      }
      if (event.type !== "changed") return;
      const { orderId, state, problem } = event.payout;
      if (terminal.asJson) terminal.json(event.payout);
      else terminal.print(`${orderId}  ${state}  ${problem ?? ""}`.trimEnd());
    };
    const client = async () => {
      await requireProduction(production);
      return clientFrom(headerPrefix);
    };
    return withLedger({ ...ledger, client, onEvent }, terminal, async (payouts, store) => {
      await payouts.migrate();
      await payouts.runDue();
      const { count, first } = await store.transaction(() => readRetries(ledger.tenant));
      const waiting = `Payouts that wait because of an earlier failure: ${count}.`;
      if (first) terminal.warn(`${waiting} The first waits until ${first.toISOString()}.`);
      if (failure !== undefined) throw failure;
      const { stopped } = await payouts.stats();
      if (stopped === undefined) return exitCodes.ok;
      terminal.warn(
        `All payouts are stopped. ${stopped.reason} See settlekit payouts status and reopen.`,
      );
      return exitCodes.api;
    });
  },
});

const statusCommand = defineCommand({
  name: "payouts status",
  brief: "Print how the payouts are doing.",
  description:
    "Prints how many payouts are in each state, what was taken from the budget, and why nothing is sent where the breaker has stopped them.",
  examples: [
    "settlekit payouts status --sqlite shop.db",
    "settlekit payouts status --sqlite shop.db --json",
  ],
  options: { ...ledgerOptions, json },
  run: (ledger, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      printRecord(await payouts.stats(), terminal);
    }),
});

const verifyCommand = defineCommand({
  name: "payouts verify",
  brief: "Check the journal.",
  description:
    "Checks every entry of the journal against the one before it, and the payouts against the journal. A break stops all payouts; the exit code is then 5.",
  examples: [
    "settlekit payouts verify --sqlite shop.db",
    "settlekit payouts verify --sqlite shop.db --json",
  ],
  options: { ...ledgerOptions, json },
  run: (ledger, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      const verified = await payouts.verify();
      printRecord(verified, terminal);
      return verified.ok ? exitCodes.ok : exitCodes.api;
    }),
});

const exportCommand = defineCommand({
  name: "payouts export",
  brief: "Print all payouts for the books.",
  description:
    "Prints every payout with its amount, recipient, transaction hash, and who planned and approved it: as CSV, or with --json as lines of JSON. With --journal, the journal as lines of JSON.",
  examples: [
    "settlekit payouts export --sqlite shop.db",
    "settlekit payouts export --journal --sqlite shop.db",
  ],
  options: {
    journal: toggle("--journal", "Every entry of the journal, with its hash."),
    ...ledgerOptions,
    json,
  },
  run: ({ journal, ...ledger }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      if (journal) {
        for await (const entry of payouts.journal()) terminal.json(entry);
        return;
      }
      const pages = () => everyPayout(payouts);
      await printList({ pages }, { csv: !terminal.asJson, columns }, terminal);
    }),
});

async function* everyPayout(payouts: Ledger) {
  const limit = 500;
  for (let offset = 0; ; offset += limit) {
    const data = await payouts.list({ limit, offset });
    yield { data };
    if (data.length < limit) return;
  }
}

/** What a person does with a ledger of payouts, on either database. */
export const payoutCommands: readonly Command[] = [
  listCommand,
  showCommand,
  planCommand,
  decisionCommand(
    "approve",
    "Approve a planned payout.",
    "Approves a planned payout. The person who planned it cannot.",
  ),
  decisionCommand(
    "reject",
    "Refuse a planned payout for good.",
    "Refuses a planned payout for good. Nothing was sent for it.",
  ),
  decisionCommand(
    "cancel",
    "Cancel a planned payout.",
    "Cancels a planned payout. Nothing was sent for it.",
  ),
  resolveCommand,
  reopenCommand,
  runCommand,
  statusCommand,
  verifyCommand,
  exportCommand,
  sqlCommand(payoutTables),
];
