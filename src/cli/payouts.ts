import { object } from "@optique/core/constructs";
import { message } from "@optique/core/message";
import { choice, integer } from "@optique/core/valueparser";
import { NotFoundError } from "../errors.ts";
import type { Payout } from "../payouts/index.ts";
import { payoutStates, payoutTables } from "../payouts/tables.ts";
import { show } from "../values.ts";
import { sqlCommand, withStore } from "./database.ts";
import { exitCodes, UsageError } from "./exit-codes.ts";
import {
  type Command,
  defineCommand,
  headerPrefix,
  json,
  setting,
  toggle,
  word,
} from "./options.ts";
import { decisionCommand, reopenCommand, resolveCommand } from "./payout-decisions.ts";
import {
  by,
  cents,
  configured,
  csv,
  type Ledger,
  ledgerOptions,
  limitOptions,
  orderId,
  payoutRecord,
  printPayouts,
  withLedger,
} from "./payout-ledger.ts";
import { printRecord } from "./records.ts";

const listCommand = defineCommand({
  name: "list",
  brief: message`List payouts of the ledger.`,
  description: message`Lists payouts in the order of planning.`,
  examples: [
    "settlekit payouts list --state needs_decision --sqlite shop.db",
    "settlekit payouts list --limit 1000 --sqlite shop.db --json",
  ],
  options: object("Options", {
    state: setting(
      "--state",
      choice([...payoutStates], { metavar: "STATE" }),
      message`Only those in this state.`,
    ).optional(),
    limit: setting(
      "--limit",
      integer({ metavar: "NUMBER", min: 1 }),
      message`How many to print at most.`,
    ).withDefault(100),
    ledger: ledgerOptions,
    output: object({ csv, json }),
  }),
  run: ({ state, limit, ledger, output }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      await printPayouts(await payouts.list({ state, limit }), output, terminal);
    }),
});

const showCommand = defineCommand({
  name: "show",
  brief: message`Print a payout with its journal.`,
  description: message`Prints a payout and its history: what happened, when, and who did it.`,
  examples: [
    "settlekit payouts show payout_1 --sqlite shop.db",
    "settlekit payouts show payout_1 --sqlite shop.db --json",
  ],
  options: object("Options", { orderId, ledger: ledgerOptions, json }),
  run: ({ orderId, ledger, json }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      const payout = await payouts.get(orderId);
      if (payout === undefined) {
        const fact = `No payout is planned with the orderId ${show(orderId)}.`;
        throw new NotFoundError(fact, { code: "no_payout", param: "orderId" });
      }
      printRecord(payoutRecord(payout), { json }, terminal);
      for await (const { at, seq, event, details } of payouts.journal({ orderId })) {
        const entry = { seq, at: at.toISOString(), event, details };
        if (json) terminal.json(entry);
        else terminal.print(`${entry.at}  ${event}  ${JSON.stringify(details)}`);
      }
    }),
});

const planCommand = defineCommand({
  name: "plan",
  brief: message`Plan a payout.`,
  description: message`Plans a payout, which settlekit payouts run, or your own worker, sends. Planned again with the same values, it is left as it is.`,
  examples: [
    "settlekit payouts plan payout_1 --amount-in-cents 12500 --chain-id 8453 --recipient-address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --by bob --sqlite shop.db",
    "settlekit payouts plan payout_2 --amount-in-cents 8050 --chain-id 8453 --recipient-address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --sqlite shop.db --json",
  ],
  options: object("Options", {
    orderId,
    input: object({
      amountInCents: setting("--amount-in-cents", cents, message`USD cents.`),
      chainId: setting(
        "--chain-id",
        integer({ metavar: "NUMBER", min: 1 }),
        message`The EVM chain.`,
      ),
      recipientAddress: setting("--recipient-address", word("ADDRESS"), message`The beneficiary.`),
      customMetadata: setting("--custom-metadata", word("JSON"), message`Sent along.`).optional(),
    }),
    by: by.optional(),
    limits: limitOptions,
    ledger: ledgerOptions,
    headerPrefix,
    json,
  }),
  run: ({ orderId, input, by, limits, ledger, headerPrefix, json }, terminal) =>
    withLedger(
      ledger,
      terminal,
      async (payouts) => {
        await payouts.migrate();
        const planned = await payouts.plan({ orderId, ...input }, { by });
        printRecord(payoutRecord(planned), { json }, terminal);
      },
      { client: () => configured(headerPrefix), limits },
    ),
});

const runCommand = defineCommand({
  name: "run",
  brief: message`Send what is due, and follow what was sent.`,
  description: message`Does everything that is due now, and ends: for a scheduler. Workers of your own may run at the same time. Pass the same limits each time.`,
  examples: [
    "settlekit payouts run --per-day 500000 --approve-above 10000 --sqlite shop.db",
    "settlekit payouts run --per-payout 50000 --production --sqlite shop.db --json",
  ],
  options: object("Options", {
    limits: limitOptions,
    lookFirst: toggle(
      "--look-first",
      message`Search the service's list before the first request of each payout, too.`,
    ),
    production: toggle("--production", message`Required where real money would move.`),
    ledger: ledgerOptions,
    headerPrefix,
    json,
  }),
  async run({ limits, lookFirst, production, ledger, headerPrefix, json }, terminal) {
    const { tenant } = ledger;
    await withStore(ledger.database, terminal, async (store) => {
      const [{ configure }, { createPayouts }] = await Promise.all([
        import("../options.ts"),
        import("../payouts/payouts.ts"),
      ]);
      if (configure().environment === "production" && !production) {
        throw new UsageError(
          "Nothing was sent. This would move real money, as the environment is production: pass --production, " +
            "or set SETTLEKIT_ENVIRONMENT.",
        );
      }
      const report = (payout: Payout) => {
        if (json) terminal.json(payoutRecord(payout));
        else
          terminal.print(`${payout.orderId}  ${payout.state}  ${payout.problem ?? ""}`.trimEnd());
      };
      const client = await configured(headerPrefix);
      const logger = { warn: terminal.warn, error: terminal.warn };
      const payouts = createPayouts({
        ...{ client, store, tenant, limits, lookFirst, logger },
        onEvent: (event) => event.type === "changed" && report(event.payout),
      });
      await payouts.migrate();
      await payouts.runDue();
    });
    return exitCodes.ok;
  },
});

const statusCommand = defineCommand({
  name: "status",
  brief: message`Print how the payouts are doing.`,
  description: message`Prints how many payouts are in each state, what was taken from the budget, and why nothing is sent where the breaker has stopped them.`,
  examples: [
    "settlekit payouts status --sqlite shop.db",
    "settlekit payouts status --sqlite shop.db --json",
  ],
  options: object("Options", { ledger: ledgerOptions, json }),
  run: ({ ledger, json }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      printRecord(JSON.parse(JSON.stringify(await payouts.stats())), { json }, terminal);
    }),
});

const verifyCommand = defineCommand({
  name: "verify",
  brief: message`Check the journal.`,
  description: message`Checks every entry of the journal against the one before it, and the payouts against the journal. A break stops all payouts; the exit code is then 5.`,
  examples: [
    "settlekit payouts verify --sqlite shop.db",
    "settlekit payouts verify --sqlite shop.db --json",
  ],
  options: object("Options", { ledger: ledgerOptions, json }),
  async run({ ledger, json }, terminal) {
    let code: number = exitCodes.ok;
    await withLedger(ledger, terminal, async (payouts) => {
      const verified = await payouts.verify();
      if (!verified.ok) code = exitCodes.api;
      printRecord(verified, { json }, terminal);
    });
    return code;
  },
});

const exportCommand = defineCommand({
  name: "export",
  brief: message`Print all payouts for the books.`,
  description: message`Prints every payout with its amount, recipient, transaction hash, and who planned and approved it: as CSV, or with --json as lines of JSON. With --journal, the journal as lines of JSON.`,
  examples: [
    "settlekit payouts export --sqlite shop.db",
    "settlekit payouts export --journal --sqlite shop.db",
  ],
  options: object("Options", {
    journal: toggle("--journal", message`Every entry of the journal, with its hash.`),
    ledger: ledgerOptions,
    json,
  }),
  run: ({ journal, ledger, json }, terminal) =>
    withLedger(ledger, terminal, async (payouts) => {
      if (journal) {
        for await (const entry of payouts.journal()) terminal.json(entry);
        return;
      }
      await printPayouts(everyPayout(payouts), { json, csv: !json }, terminal);
    }),
});

async function* everyPayout(payouts: Ledger): AsyncGenerator<Payout[]> {
  const limit = 500;
  for (let offset = 0; ; offset += limit) {
    const page = await payouts.list({ limit, offset });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
  }
}

/** What a person does with a ledger of payouts, on either database. */
export const payoutCommands: Readonly<Record<string, Command>> = {
  list: listCommand,
  show: showCommand,
  plan: planCommand,
  approve: decisionCommand(
    "approve",
    message`Approve a planned payout.`,
    message`Approves a planned payout. The person who planned it cannot.`,
  ),
  reject: decisionCommand(
    "reject",
    message`Refuse a planned payout for good.`,
    message`Refuses a planned payout for good. Nothing was sent for it.`,
  ),
  cancel: decisionCommand(
    "cancel",
    message`Cancel a planned payout.`,
    message`Cancels a planned payout. Nothing was sent for it.`,
  ),
  resolve: resolveCommand,
  reopen: reopenCommand,
  run: runCommand,
  status: statusCommand,
  verify: verifyCommand,
  export: exportCommand,
  sql: sqlCommand(payoutTables),
};
