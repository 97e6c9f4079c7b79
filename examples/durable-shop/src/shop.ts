import { randomUUID } from "node:crypto";
import express from "express";
import { MerchantClient } from "settlekit";
import { createInbox, type StoreMode } from "settlekit/inbox";
import { Webhooks } from "settlekit/webhooks";
import type { ShopDatabase } from "./database.ts";

const priceInCents = 2500;

/** A shop that ships each paid order once, on either database, with any number of processes. */
export async function openShop<Client, Mode extends StoreMode>(
  database: ShopDatabase<Client, Mode>,
  host: string,
  port: number,
) {
  const client = new MerchantClient({ logger: { warn: console.warn, error: console.error } });
  const inbox = createInbox({
    client,
    webhooks: new Webhooks(),
    store: database.store,
  });
  inbox.on("payment", "ship", { states: ["completed", "confirmed"] }, database.ship);
  // A task may be slow, and runs again if the process dies: the key keeps the mail service from sending twice.
  inbox.task<{ orderId: string }>("email", async ({ orderId }, { key }) => {
    console.log(`${orderId} is paid: mail sent with the idempotency key ${key}`);
  });

  await database.prepare();
  await inbox.migrate();
  const worker = inbox.start({ concurrency: 8, reconcileEvery: "5m" });

  const app = express();
  // Before anything that parses bodies.
  app.all("/webhooks", inbox.nodeHandler());
  app.get("/", (_request, response) => {
    response
      .type("html")
      .send('<form method="post" action="/orders"><button>Buy a mug</button></form>');
  });
  app.post("/orders", async (_request, response) => {
    const orderId = `order_${randomUUID()}`;
    await database.addOrder(orderId, priceInCents);
    // A customer is waiting.
    const options = { deadlineMs: 15_000 };
    const payment = await client.payments.create({ amount: priceInCents, orderId }, options);
    response.redirect(303, payment.paymentUrl);
  });
  app.get("/shipments", async (_request, response) => {
    response.json(await database.shipments());
  });
  app.get("/health", async (_request, response) => {
    response.json(await inbox.stats());
  });

  const server = app.listen(port, host, (error) => {
    if (error) throw error;
    console.log(`The shop is open: http://${host}:${port}`);
  });
  return {
    /** Finishes requests and running work. Another process takes over the rest. */
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      setTimeout(() => server.closeAllConnections(), 10_000).unref();
      await Promise.all([closed, worker.stop()]);
      await database.close();
    },
  };
}
