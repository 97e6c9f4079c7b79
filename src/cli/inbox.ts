import { readParked, readStats, unpark } from "../inbox/operate.ts";
import { inboxTables } from "../inbox/tables.ts";
import { otherTenants } from "../inbox/tenants.ts";
import { requireMigrated, type Work } from "../stores/store.ts";
import { databaseOptions, sqlCommand, withStore } from "./database.ts";
import { UsageError } from "./exit-codes.ts";
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
  run: (database, terminal) => inTransaction(database, terminal, readStats),
});

const parkedCommand = defineCommand({
  name: "inbox parked",
  brief: "List parked payments, withdrawals and tasks.",
  description:
    "Lists the payments, withdrawals and tasks that failed too often, with the reason and the id for settlekit inbox retry.",
  examples: ["settlekit inbox parked"],
  options: { ...databaseOptions, json },
  async run(database, terminal) {
    const parked = await inTransaction(database, terminal, readParked);
    const tenant = parked.some(({ tenant }) => tenant !== "") ? ["tenant"] : [];
    const columns = ["id", ...tenant, "kind", "subject", "failures", "since", "reason"];
    await printList(parked, { columns }, terminal);
  },
});

const retryCommand = defineCommand({
  name: "inbox retry",
  brief: "Retry a parked payment, withdrawal or task.",
  description: "Makes the running workers retry a parked payment, withdrawal or task at once.",
  examples: ["settlekit inbox retry payment:12", "settlekit inbox retry task:3 --sqlite shop.db"],
  options: {
    id: operand("ID", "The id that settlekit inbox parked prints."),
    ...databaseOptions,
  },
  async run({ id, ...database }, terminal) {
    await inTransaction(database, terminal, () => unpark(id), { wake: "inbox" });
    terminal.say(`${id} will be retried.`);
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
      const [other] = tenant === undefined ? await store.transaction(otherTenants) : [];
      if (other !== undefined) {
        const cure = "Pass --tenant NAME, and set SETTLEKIT_SECRET_KEY to the key of that tenant.";
        throw new UsageError(`This inbox has tenants, such as "${other.tenant}". ${cure}`);
      }
      const client = await clientFrom({ headerPrefix });
      const inbox = createInbox({ client: tenant === undefined ? client : () => client, store });
      return inbox.reconcile({ since, tenant });
    }),
});

export const inboxCommands: readonly Command[] = [
  statusCommand,
  parkedCommand,
  retryCommand,
  reconcileCommand,
  sqlCommand(inboxTables),
];
