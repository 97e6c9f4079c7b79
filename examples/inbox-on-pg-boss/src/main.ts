// A shop that already runs its jobs on pg-boss, which drives the inbox in place of inbox.start().

import { createServer } from "node:http";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { MerchantClient } from "settlekit";
import { createInbox, type SubjectRef } from "settlekit/inbox";
import { postgres } from "settlekit/postgres";
import { Webhooks } from "settlekit/webhooks";

const { DATABASE_URL, HOST = "127.0.0.1", PORT = "3000" } = process.env;
if (!DATABASE_URL) throw new Error("DATABASE_URL must be the URL of a PostgreSQL database.");

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });
await pool.query("CREATE TABLE IF NOT EXISTS shipments (order_id TEXT PRIMARY KEY)");

const boss = new PgBoss(DATABASE_URL);
boss.on("error", console.error);
await boss.start();

const inbox = createInbox({
  client: new MerchantClient({ logger: { warn: console.warn, error: console.error } }),
  webhooks: new Webhooks(),
  store: postgres(pool),
  // A payment or withdrawal has changed: queue one job for it, however many webhooks arrive.
  async onEvent(event) {
    if (event.type !== "accepted" || !event.kind || !event.id) return;
    const { kind, id } = event;
    await boss.send("settle", { kind, id }, { singletonKey: `${kind}/${id}` });
  },
});
inbox.on("payment", "ship", { states: ["completed", "confirmed"] }, async (tx, payment) => {
  // The inbox runs this once per payment, and an order can have several, so the primary key decides. In production,
  // also compare the order and its amount with your own record, as the durable shop does.
  const insert = "INSERT INTO shipments (order_id) VALUES ($1) ON CONFLICT DO NOTHING";
  const { rowCount } = await tx.query(insert, [payment.orderId]);
  if (rowCount === 1) console.log(`${payment.orderId} is paid and shipped`);
  else console.error(`${payment.orderId} was shipped before. Refund payment ${payment.id}.`);
});
await inbox.migrate();

// With the policy "short", at most one job per payment waits, beside those that are running.
await boss.createQueue("settle", { policy: "short", retryLimit: 5, retryBackoff: true });
await boss.work<SubjectRef>(
  "settle",
  { batchSize: 8, pollingIntervalSeconds: 0.5 },
  async (jobs) => {
    await Promise.all(jobs.map(({ data }) => inbox.settle(data)));
  },
);

// If a process dies between the commit and send(), there is no job: settle-due settles the change within a minute.
// reconcile finds changes that no webhook reported, within five.
await boss.createQueue("settle-due");
await boss.createQueue("reconcile");
await boss.work("settle-due", () => inbox.settleDue());
await boss.work("reconcile", () => inbox.reconcile());
await boss.schedule("settle-due", "* * * * *");
await boss.schedule("reconcile", "*/5 * * * *");

const server = createServer(inbox.nodeHandler());
server.listen(Number(PORT), HOST, () =>
  console.log(`Receiving webhooks on http://${HOST}:${PORT}`),
);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    setTimeout(() => server.closeAllConnections(), 10_000).unref();
    await new Promise((resolve) => server.close(resolve));
    await boss.stop();
    await pool.end();
  });
}
