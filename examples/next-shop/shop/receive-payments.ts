import type { MerchantClient } from "settlekit";
import { type WebhookOf, Webhooks } from "settlekit/webhooks";
import type { Orders } from "./orders.ts";

/** The webhooks of the shop. A handler that throws is answered with 500, and the webhook comes again. */
export function receivePayments(client: MerchantClient, orders: Orders): Webhooks {
  // The secret comes from SETTLEKIT_WEBHOOK_SECRET.
  const webhooks = new Webhooks({ logger: console });

  // Webhooks may come twice and in any order, so they only say where to look: what counts is the payment
  // as the service has it now.
  async function onPayment({ data }: WebhookOf<"payment.updated" | "payment.confirmed">) {
    const order = orders.find(data.orderId ?? "");
    // Of another shop of the same merchant.
    if (order === undefined) return;
    const paymentId = data.id ?? order.paymentId;
    if (paymentId === null) throw new Error(`The payment of ${order.id} is not known yet.`);
    // The service waits 30 seconds for an answer to its webhook.
    const payment = await client.payments.get(paymentId, { deadlineMs: 20_000 });
    if (!orders.settle(payment)) {
      console.error(
        `Payment ${payment.id} (${payment.status}) does not fit ${order.id}. Look at it.`,
      );
    }
  }
  webhooks.on("payment.updated", onPayment);
  // The service's documentation mentions this name, too.
  webhooks.on("payment.confirmed", onPayment);
  return webhooks;
}
