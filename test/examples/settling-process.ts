// Settles one payment of each order with the example fulfil-once, in a process of its own:
//
//   node --import ./from-source.ts settling-process.ts <database> <name> <orders>

import { DatabaseSync } from "node:sqlite";
import { MerchantClient, type Payment } from "settlekit";
import { Webhooks } from "settlekit/webhooks";
import { fulfilOnce } from "../../examples/webhooks/fulfil-once.ts";

const [, , path = "", name, orders] = process.argv;
const client = new MerchantClient({ environment: "sandbox", secretKey: "sk_test_1" });
// The example reports second payments of an order there.
console.error = () => undefined;
const { settle } = fulfilOnce(new DatabaseSync(path), client, new Webhooks({ secret: "s" }));
process.send?.("ready");

process.once("message", async () => {
  for (let index = 0; index < Number(orders); index++) {
    const payment: Partial<Payment> = {
      id: `payment_of_${name}_${index}`,
      orderId: `order_${index}`,
      amountInCents: 2500,
      status: "completed",
    };
    settle(payment as Payment);
    // Lets the other process have the database.
    await new Promise(setImmediate);
  }
  process.disconnect();
});
