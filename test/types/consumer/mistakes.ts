// Typical mistakes. Each comment quotes what the compiler must say about the line below it.

import { MerchantClient } from "settlekit";
import type { Inbox } from "settlekit/inbox";

const client = new MerchantClient();
declare const inbox: Inbox<object, "async">;
const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

// Property 'amount' is missing in type '{ orderId: string; }'
client.payments.create({ orderId: "order_1" });
// Did you mean to write 'amount'?
client.payments.create({ amout: 2500, orderId: "order_1" });
// Did you mean to write 'orderId'?
client.payments.create({ amount: 2500, orderID: "order_1" });
// Type 'string' is not assignable to type 'number'
client.payments.create({ amount: "2500", orderId: "order_1" });
// Types of property 'amount' are incompatible
client.payments.create({ type: "deposit", amount: 2500, orderId: "order_1" });
// Property 'recipientAddress' is missing
client.withdrawals.create({ amountInCents: 2500, chainId: 8453 });
// Property 'orderId' is missing
client.withdrawals.createOnce({ amountInCents: 2500, chainId: 8453, recipientAddress });
// Property 'status' does not exist on type 'ApiPromise<Payment>'
client.payments.get("payment_1").status;
// Did you mean to write 'secretKey'?
new MerchantClient({ secretkey: "sk_test_1" });
// Type '"test"' is not assignable to type 'Environment | undefined'
new MerchantClient({ environment: "test" });
// Argument of type '"payments"' is not assignable to parameter of type 'SubjectKind'
inbox.on("payments", "ship", {}, async () => {});
