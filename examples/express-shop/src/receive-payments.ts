import type { MerchantClient, Payment } from "settlekit";
import { type WebhookOf, Webhooks } from "settlekit/webhooks";
import type { Orders } from "./orders.ts";

type PaymentWebhook = WebhookOf<"payment.updated" | "payment.confirmed">;

/** The shop's webhooks. If a handler throws, the response is 500 and the service delivers again. */
export function receivePayments(client: MerchantClient, orders: Orders): Webhooks {
  // The secret comes from SETTLEKIT_WEBHOOK_SECRET.
  const webhooks = new Webhooks();

  async function onPayment({ data }: PaymentWebhook): Promise<void> {
    for (const payment of await paymentsOf(data)) {
      if (orders.settle(payment)) continue;
      console.error(`Payment ${payment.id} (${payment.status}) matches no order. Look into it.`);
    }
  }
  webhooks.on("payment.updated", onPayment);
  // The service's documentation mentions this name, too.
  webhooks.on("payment.confirmed", onPayment);
  return webhooks;

  /** Fetches the payments, because events can repeat and arrive out of order. Only `orderId` is sure to be in one. */
  async function paymentsOf({ id, orderId }: PaymentWebhook["data"]): Promise<Payment[]> {
    const order = orders.find(orderId ?? "");
    // The order of another shop on the same merchant account.
    if (orderId && order === undefined) return [];
    // The service waits 30 seconds for the response to its webhook.
    const deadlineMs = 20_000;
    if (id) return [await client.payments.get(id, { deadlineMs })];
    // An order can have several payments, so the id stored with it may not be this one's.
    if (order === undefined) throw new Error("The event names neither a payment nor an order.");
    const createdAfter = order.createdAt;
    const payments = await client.payments.findByOrderId(order.id, { createdAfter, deadlineMs });
    if (payments.length === 0) throw new Error(`The service lists no payment for ${order.id}.`);
    return payments;
  }
}
