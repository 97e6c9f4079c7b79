// A shop's process, for tests that kill and suspend it: it receives webhooks, settles, and ships paid orders.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { createInbox } from "../../src/inbox/index.ts";
import { MerchantClient } from "../../src/index.ts";
import { postgres } from "../../src/stores/postgres.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { Webhooks } from "../../src/webhooks/index.ts";
import { insert } from "./insert.ts";
import type { WorkerSettings } from "./shop.ts";

const settings = JSON.parse(process.env.FLEET_SETTINGS ?? "") as WorkerSettings;
const { database, baseUrl, secretKey, webhookSecret: secret, reconcileEveryMs } = settings;
const isPostgres = database.startsWith("postgres:");

// The clock runs 30 times faster, so that a lease lasts one second.
const store: Store = isPostgres
  ? postgres(new pg.Pool({ connectionString: database, max: 8 }), {
      clock: "(SELECT (extract(epoch from clock_timestamp()) * 30000)::bigint)",
    })
  : sqlite(openDatabase(database), { clock: "CAST(unixepoch('subsec') * 30000 AS INTEGER)" });

function openDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 20_000 });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  return db;
}

const inbox = createInbox({
  client: new MerchantClient({ environment: "sandbox", baseUrl, secretKey }),
  webhooks: new Webhooks({ secret, logger: { warn() {}, error() {} } }),
  store,
  logger: { warn() {}, error() {} },
});
// The database's clock is far ahead of the service's times.
const since = new Date(0);
const states = { states: ["completed", "confirmed"], since } as const;
inbox.on("payment", "ship", states, (tx, payment, { after }) => {
  after("email", payment.orderId);
  return insert(tx, "shipments", payment.orderId ?? null, payment.status) as undefined;
});
inbox.task<string>("email", () => {});
await inbox.migrate();

const server = createServer(inbox.nodeHandler()).listen(0, "127.0.0.1", () => {
  inbox.start({ concurrency: 4, reconcileEvery: false, pollMs: 100 });
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
for (;;) {
  await delay(reconcileEveryMs);
  // The next run finds what a failed one missed.
  await inbox.reconcile({ since }).catch(() => {});
}
