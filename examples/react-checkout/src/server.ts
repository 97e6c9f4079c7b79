// Serves the built page, opens payments for it, and ships when the webhook arrives.

import { join } from "node:path";
import express from "express";
import { idempotencyKeyFrom, isPaid, MerchantClient } from "settlekit";
import { Webhooks } from "settlekit/webhooks";

const client = new MerchantClient();
const webhooks = new Webhooks();

webhooks.on("payment.updated", async ({ data }) => {
  // The event may be old, and often contains only the order id, so fetch the current status from the service.
  const payments = data.id
    ? [await client.payments.get(data.id)]
    : await client.payments.findByOrderId(data.orderId ?? "");
  // An error makes the handler return 500, so that the service delivers the event again.
  if (payments.length === 0) throw new Error(`The order ${data.orderId} has no payment yet.`);
  // In production, compare the amount with your order, and record shipments, because webhooks repeat.
  if (payments.some(({ status }) => isPaid(status))) console.log(`Ship ${payments[0]?.orderId}.`);
});

const app = express();
// Keeps stack traces out of error pages. Vite reads .env, too, and warns about NODE_ENV=production there.
app.set("env", "production");
app.all("/webhooks", webhooks.nodeHandler());

app.post("/payments/:orderId", async (request, response) => {
  const { orderId } = request.params;
  if (!/^order_[0-9a-f-]{36}$/.test(orderId)) return void response.sendStatus(404);
  const { paymentId, secret } = await client.payments.create(
    { amount: 2500, orderId },
    {
      // Derived from the order, so that a reload opens the same payment.
      idempotencyKey: idempotencyKeyFrom("order", orderId),
      // A customer is waiting.
      deadlineMs: 15_000,
    },
  );
  response.json({ paymentId, secret, baseUrl: client.baseUrl });
});

// The page runs only its own script, and connects only to the shop and the service.
const policy = `default-src 'self'; connect-src 'self' ${new URL(client.baseUrl).origin}`;
app.use((_request, response, next) => {
  response.set("Content-Security-Policy", policy);
  next();
});
app.use(express.static(join(import.meta.dirname, "../dist")));

const port = Number(process.env.PORT ?? 3000);
app.listen(port, "127.0.0.1", (error) => {
  if (error) throw error;
  console.log(`The shop is open: http://127.0.0.1:${port}`);
});
