import { readParked, readStats, unpark } from "../inbox/operate.ts";
import { inboxTables } from "../inbox/tables.ts";
import { requireMigrated, type Work } from "../stores/store.ts";
import { databaseOptions, sqlCommand, withStore } from "./database.ts";
import {
  type Command,
  clientFrom,
  defineCommand,
  headerPrefix,
  instant,
  json,
  operand,
  setting,
  type ValuesOf,
} from "./options.ts";
import { printList, printRecord } from "./records.ts";
import type { Terminal } from "./terminal.ts";

function inTransaction<T>(
  database: ValuesOf<typeof databaseOptions>,
  terminal: Terminal,
  work: () => Work<T>,
  options?: { wake: string },
): Promise<T> {
  return withStore(database, terminal, async (store) => {
    await requireMigrated(store, inboxTables);
    return store.transaction(work, options);
  });
}

const statusCommand = defineCommand({
  name: "inbox status",
  brief: "Print how the inbox is doing.",
  description:
    "Prints how many payments and withdrawals wait to be settled, for how long the oldest has, what is parked, and how many were settled in the last minute.",
  examples: ["settlekit inbox status", "settlekit inbox status --sqlite shop.db --json"],
  options: { ...databaseOptions, json },
  async run(database, terminal) {
    printRecord(await inTransaction(database, terminal, readStats), terminal);
  },
});

const parkedCommand = defineCommand({
  name: "inbox parked",
  brief: "List what waits for a person.",
  description:
    "Lists the payments, withdrawals and tasks that failed too often, with the reason and the id for settlekit inbox retry.",
  examples: ["settlekit inbox parked", "settlekit inbox parked --json"],
  options: { ...databaseOptions, json },
  async run(database, terminal) {
    const parked = await inTransaction(database, terminal, readParked);
    const columns = ["id", "kind", "subject", "failures", "since", "reason"];
    await printList(parked, { columns }, terminal);
  },
});

const retryCommand = defineCommand({
  name: "inbox retry",
  brief: "Have something parked tried again.",
  description: "Has something parked tried again at once, by the workers that run.",
  examples: ["settlekit inbox retry payment:12", "settlekit inbox retry task:3 --sqlite shop.db"],
  options: {
    id: operand("ID", "As settlekit inbox parked prints it."),
    ...databaseOptions,
  },
  async run({ id, ...database }, terminal) {
    await inTransaction(database, terminal, () => unpark(id), { wake: "inbox" });
    terminal.say(`${id} is tried again.`);
  },
});

const reconcileCommand = defineCommand({
  name: "inbox reconcile",
  brief: "Look for changes that no webhook reported.",
  description:
    "Walks the lists of the service that SETTLEKIT_SECRET_KEY belongs to, and marks what has changed. The workers that run settle it. Refused for an inbox with tenants, each of which has a key of its own.",
  examples: [
    "settlekit inbox reconcile",
    "settlekit inbox reconcile --since 2026-01-01 --sqlite shop.db",
  ],
  options: {
    since: setting(
      "--since TIME",
      "Look at what was created from then on. Default: where the last walk left off.",
      instant,
    ).optional(),
    ...databaseOptions,
    headerPrefix,
    json,
  },
  async run({ since, headerPrefix, ...database }, terminal) {
    await withStore(database, terminal, async (store) => {
      const { createInbox } = await import("../inbox/inbox.ts");
      const inbox = createInbox({ client: await clientFrom(headerPrefix), store });
      const found = await inbox.reconcile(since === undefined ? {} : { since });
      printRecord(found, terminal);
    });
  },
});

/** What a person does with an inbox, on either database. */
export const inboxCommands: readonly Command[] = [
  statusCommand,
  parkedCommand,
  retryCommand,
  reconcileCommand,
  sqlCommand(inboxTables),
];
