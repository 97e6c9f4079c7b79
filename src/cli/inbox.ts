import * as inbox from "../inbox/operate.ts";
import { inboxTables } from "../inbox/tables.ts";
import { namedTenant } from "../inbox/tenants.ts";
import { requireMigrated, type Work } from "../stores/store.ts";
import { type Command, defineCommand, operand, setting, type ValuesOf } from "./command.ts";
import { databaseOptions, sqlCommand, withStore } from "./database.ts";
import { UsageError } from "./exit-codes.ts";
import { clientFrom, headerPrefix, instant, json } from "./options.ts";
import { printList } from "./records.ts";
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
  brief: "Print the inbox's backlog and throughput.",
  description:
    "Prints how many payments and withdrawals are waiting to be settled, how long the oldest of them, or the oldest task, has been waiting, what is parked, and how many were settled in the last minute.",
  examples: ["settlekit inbox status --sqlite shop.db"],
  options: { ...databaseOptions, json },
  run: (database, terminal) => inTransaction(database, terminal, inbox.readStats),
});

function listCommand(
  name: "parked" | "failing",
  brief: string,
  read: () => Work<inbox.Parked[]>,
): Command {
  return defineCommand({
    name: `inbox ${name}`,
    brief,
    description: "Each has the last error, and the id for settlekit inbox retry.",
    examples: [`settlekit inbox ${name}`],
    options: { ...databaseOptions, json },
    async run(database, terminal) {
      const found = await inTransaction(database, terminal, read);
      const tenant = found.some(({ tenant }) => tenant !== "") ? ["tenant"] : [];
      const next = name === "failing" ? ["nextAttempt"] : [];
      const columns = ["id", ...tenant, "kind", "subject", "failures", "since", ...next, "reason"];
      await printList(found, { columns, table: columns }, terminal);
    },
  });
}

const retryCommand = defineCommand({
  name: "inbox retry",
  brief: "Retry a payment, withdrawal or task that failed, or all of them.",
  description: "Makes the running workers retry what failed at once, parked or not.",
  examples: ["settlekit inbox retry payment:12", "settlekit inbox retry all --sqlite shop.db"],
  options: {
    id: operand("ID", "The id that settlekit inbox parked or failing prints; or all."),
    ...databaseOptions,
  },
  async run({ id, ...database }, terminal) {
    const retry = (): Work<unknown> => (id === "all" ? inbox.retryAll() : inbox.retryOne(id));
    const count = await inTransaction(database, terminal, retry, { wake: "inbox" });
    terminal.say(`${count ?? id} will be retried.`);
  },
});

const reconcileCommand = defineCommand({
  name: "inbox reconcile",
  brief: "Look for changes that no webhook reported.",
  description:
    "Checks the payments and withdrawals of the merchant whose SETTLEKIT_SECRET_KEY is set, and marks the changed ones for the running workers to settle. In an inbox with tenants, --tenant says whose key that is.",
  examples: [
    "settlekit inbox reconcile",
    "settlekit inbox reconcile --since 2026-01-01 --sqlite shop.db",
  ],
  options: {
    since: setting(
      "--since TIME",
      "Check everything created since this time. Default: where the last check ended.",
      instant,
    ).optional(),
    tenant: setting("--tenant NAME", "The tenant whose SETTLEKIT_SECRET_KEY is set.").optional(),
    ...databaseOptions,
    headerPrefix,
    json,
  },
  run: ({ since, tenant, headerPrefix, ...database }, terminal) =>
    withStore(database, terminal, async (store) => {
      const { createInbox } = await import("../inbox/inbox.ts");
      await requireMigrated(store, inboxTables);
      const other = tenant === undefined ? await store.transaction(namedTenant) : undefined;
      if (other !== undefined) {
        const cure =
          "Pass --tenant NAME, and set SETTLEKIT_SECRET_KEY to the key of that tenant. For webhooks without a tenant, call " +
          'inbox.reconcile({ tenant: "" }) in your program.';
        throw new UsageError(`This inbox has tenants, such as "${other}". ${cure}`);
      }
      const client = await clientFrom({ headerPrefix });
      const options = { client: tenant === undefined ? client : () => client, store };
      return createInbox(options).reconcile({ since, tenant });
    }),
});

export const inboxCommands: readonly Command[] = [
  statusCommand,
  listCommand("parked", "List what failed too often and waits for a person.", inbox.readParked),
  listCommand("failing", "List what failed and will be tried again.", inbox.readFailing),
  retryCommand,
  reconcileCommand,
  sqlCommand(inboxTables),
];
