import { serve } from "@hono/node-server";
import { MerchantClient } from "settlekit";
import { createApp } from "./app.ts";
import { readEnvironment } from "./environment.ts";
import { Orders } from "./orders.ts";
import { receivePayments } from "./receive-payments.ts";
import { openSqlite } from "./sqlite-database.ts";

const { host, port, publicUrl, databaseFile } = readEnvironment();
const database = openSqlite(databaseFile);
const orders = new Orders(database);
const client = new MerchantClient({ logger: { warn: console.warn, error: console.error } });
const webhooks = receivePayments(client, orders, process.env.SETTLEKIT_WEBHOOK_SECRET);

const { fetch } = createApp({ client, webhooks, orders, publicUrl });
const server = serve({ fetch, port, hostname: host }, () => {
  console.log(`The shop is open: http://${host}:${port}`);
});

// Finish the requests in flight.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => server.close(() => database.close()));
}
