import { idempotencyKeyFrom, type MerchantClient } from "settlekit";
import type { Order, Orders } from "./orders.ts";

/** Gives the URL of the page where the customer pays. Repeating it makes no second payment. */
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
      // Made from the order, so that a repeated call is recognised even after a crash, for 24 hours.
      idempotencyKey: idempotencyKeyFrom("order", order.id),
      // A customer waits.
      deadlineMs: 15_000,
    },
  );
  await orders.keepPayment(order.id, payment);
  return payment.paymentUrl;
}
