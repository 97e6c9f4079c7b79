// Runs the job against a sandbox, with a shop that misses every webhook.

import { DatabaseSync } from "node:sqlite";
import { MerchantClient } from "settlekit";
import { createSandbox } from "settlekit/sandbox";
import { Orders } from "./orders.ts";
import { reconcileShop } from "./reconcile-shop.ts";

// Without a webhook URL, the sandbox sends no webhooks.
const sandbox = createSandbox();
await using service = await sandbox.listen({ port: 0 });
const client = new MerchantClient({
  environment: "sandbox",
  baseUrl: service.url,
  secretKey: sandbox.secretKey,
});
const database = new DatabaseSync(":memory:");
const orders = new Orders(database);

for (const scenario of ["success", "underpayment", undefined] as const) {
  const order = orders.place({ name: "Mug", priceInCents: 2500 });
  const { paymentId } = await client.payments.create({ amount: 2500, orderId: order.id });
  if (scenario) await sandbox.payments.simulate(paymentId, scenario);
  console.log(`${order.id}: ${scenario ?? "nothing happened yet"}`);
}

const since = new Date(Date.now() - 60 * 60_000);
for (const run of ["first", "second"]) {
  const paid = await reconcileShop({ client, database, since });
  console.log(`The ${run} run finds paid: ${paid.join(", ") || "nothing"}`);
}
