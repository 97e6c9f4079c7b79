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

const server = createApp({ client, webhooks, orders, publicUrl }).listen(port, host, (error) => {
  if (error) throw error;
  console.log(`The shop is open: http://${host}:${port}`);
});

// Finish the requests in flight, within ten seconds: the service redelivers webhooks.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close(() => database.close());
    setTimeout(() => server.closeAllConnections(), 10_000).unref();
  });
}
