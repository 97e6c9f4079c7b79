import { object } from "@optique/core/constructs";
import { message } from "@optique/core/message";
import { argument } from "@optique/core/primitives";
import { readParked, readStats, unpark } from "../inbox/operate.ts";
import { inboxTables } from "../inbox/tables.ts";
import { requireMigrated } from "../stores/store.ts";
import { databaseOptions, sqlCommand, withStore } from "./database.ts";
import { exitCodes } from "./exit-codes.ts";
import {
  type Command,
  defineCommand,
  headerPrefix,
  instant,
  json,
  setting,
  word,
} from "./options.ts";
import { printList, printRecord } from "./records.ts";

const statusCommand = defineCommand({
  name: "status",
  brief: message`Print how the inbox is doing.`,
  description: message`Prints how many payments and withdrawals wait to be settled, for how long the oldest has, what is parked, and how many were settled in the last minute.`,
  examples: ["settlekit inbox status", "settlekit inbox status --sqlite shop.db --json"],
  options: object("Options", { database: databaseOptions, json }),
  async run({ database, json }, terminal) {
    await withStore(database, terminal, async (store) => {
      await requireMigrated(store, inboxTables);
      const { oldestChanged, ...stats } = await store.transaction(readStats);
      const record = { ...stats, oldestChanged: oldestChanged?.toISOString() };
      printRecord(record, { json }, terminal);
    });
    return exitCodes.ok;
  },
});

const parkedCommand = defineCommand({
  name: "parked",
  brief: message`List what waits for a person.`,
  description: message`Lists the payments, withdrawals and tasks that failed too often, with the reason and the id for settlekit inbox retry.`,
  examples: ["settlekit inbox parked", "settlekit inbox parked --json"],
  options: object("Options", { database: databaseOptions, json }),
  async run({ database, json }, terminal) {
    await withStore(database, terminal, async (store) => {
      await requireMigrated(store, inboxTables);
      const rows = await store.transaction(readParked);
      const data = rows.map(({ since, ...row }) => ({ ...row, since: since.toISOString() }));
      const columns = ["id", "kind", "subject", "failures", "since", "reason"];
      await printList({ data }, { json, columns }, terminal);
    });
    return exitCodes.ok;
  },
});

const retryCommand = defineCommand({
  name: "retry",
  brief: message`Have something parked tried again.`,
  description: message`Has something parked tried again at once, by the workers that run.`,
  examples: ["settlekit inbox retry payment:12", "settlekit inbox retry task:3 --sqlite shop.db"],
  options: object("Options", {
    id: argument(word("ID"), { description: message`As settlekit inbox parked prints it.` }),
    database: databaseOptions,
  }),
  async run({ id, database }, terminal) {
    await withStore(database, terminal, async (store) => {
      await requireMigrated(store, inboxTables);
      await store.transaction(() => unpark(id), { wake: "inbox" });
    });
    terminal.say(`${id} is tried again.`);
    return exitCodes.ok;
  },
});

const reconcileCommand = defineCommand({
  name: "reconcile",
  brief: message`Look for changes that no webhook told.`,
  description: message`Walks the lists of the service that SETTLEKIT_SECRET_KEY belongs to, and marks what has changed. The workers that run settle it. For an inbox without tenants.`,
  examples: [
    "settlekit inbox reconcile",
    "settlekit inbox reconcile --since 2026-01-01 --sqlite shop.db",
  ],
  options: object("Options", {
    since: setting(
      "--since",
      instant,
      message`Look at what was created from then on. Default: where the last walk left off.`,
    ).optional(),
    database: databaseOptions,
    headerPrefix,
    json,
  }),
  async run({ since, database, headerPrefix, json }, terminal) {
    await withStore(database, terminal, async (store) => {
      const [{ MerchantClient }, { createInbox }] = await Promise.all([
        import("../client.ts"),
        import("../inbox/inbox.ts"),
      ]);
      const inbox = createInbox({ client: new MerchantClient({ headerPrefix }), store });
      const found = await inbox.reconcile(since === undefined ? {} : { since });
      printRecord(found, { json }, terminal);
    });
    return exitCodes.ok;
  },
});

/** What a person does with an inbox, on either database. */
export const inboxCommands: Readonly<Record<string, Command>> = {
  status: statusCommand,
  parked: parkedCommand,
  retry: retryCommand,
  reconcile: reconcileCommand,
  sql: sqlCommand(inboxTables),
};
