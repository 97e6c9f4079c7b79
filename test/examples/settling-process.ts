// Settles one payment of each order that it is sent with the example fulfil-once, in a process of its own:
//
//   node --import ./from-source.ts settling-process.ts <database> <name>

import { DatabaseSync } from "node:sqlite";
import { MerchantClient, type Payment } from "settlekit";
import { Webhooks } from "settlekit/webhooks";
import { fulfilOnce } from "../../examples/webhooks/fulfil-once.ts";

const [, , path = "", name] = process.argv;
const client = new MerchantClient({ environment: "sandbox", secretKey: "sk_test_1" });
// The example reports second payments of an order there.
console.error = () => undefined;
const { settle } = fulfilOnce(new DatabaseSync(path), client, new Webhooks({ secret: "s" }));
process.send?.("ready");

process.on("message", (orderId: string) => {
  const payment: Partial<Payment> = {
    id: `payment_of_${name}_for_${orderId}`,
    orderId,
    amountInCents: 2500,
    status: "completed",
  };
  settle(payment as Payment);
  process.send?.(orderId);
});
