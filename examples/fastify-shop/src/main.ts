import { DatabaseSync } from "node:sqlite";
import { MerchantClient } from "settlekit";
import { createApp } from "./app.ts";
import { readEnvironment } from "./environment.ts";
import { Orders } from "./orders.ts";
import { receivePayments } from "./receive-payments.ts";

const { host, port, publicUrl, databaseFile } = readEnvironment();
const database = new DatabaseSync(databaseFile);
const orders = new Orders(database);
const client = new MerchantClient({ logger: { warn: console.warn, error: console.error } });
const webhooks = receivePayments(client, orders);

const app = createApp({ client, webhooks, orders, publicUrl });
await app.listen({ host, port });
console.log(`The shop is open: http://${host}:${port}`);

// Fastify finishes the requests in flight before it closes.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    await app.close();
    database.close();
  });
}
