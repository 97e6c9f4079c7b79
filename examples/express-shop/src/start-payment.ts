import { idempotencyKeyFrom, type MerchantClient } from "settlekit";
import type { Order, Orders } from "./orders.ts";

/** Returns the URL of the page where the customer pays. Repeating the call creates no second payment. */
export async function startPayment(
  order: Order,
  { client, orders, publicUrl }: { client: MerchantClient; orders: Orders; publicUrl: string },
): Promise<string> {
  if (order.paymentUrl !== null) return order.paymentUrl;
  const payment = await client.payments.create(
    {
      amount: order.amountInCents,
      orderId: order.id,
      redirectUrl: new URL(`/orders/${order.id}`, publicUrl).href,
    },
    {
      // Derived from the order, so that the service recognises a repeated call for 24 hours, even after a crash.
      idempotencyKey: idempotencyKeyFrom("order", order.id),
      // A customer is waiting.
      deadlineMs: 15_000,
    },
  );
  orders.keepPayment(order.id, payment);
  return payment.paymentUrl;
}
