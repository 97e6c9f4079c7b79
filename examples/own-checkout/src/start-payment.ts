import { idempotencyKeyFrom, type MerchantClient } from "settlekit";
import type { Order, Orders } from "./orders.ts";

/** What the customer's browser needs: it may see and pay this payment, and nothing else. */
export interface StartedPayment {
  readonly paymentId: string;
  readonly secret: string;
}

/** Gives the payment of an order, which is created unless it exists. Repeating it makes no second one. */
export async function startPayment(
  { id, amountInCents, paymentId, paymentSecret }: Order,
  { client, orders }: { client: MerchantClient; orders: Orders },
): Promise<StartedPayment> {
  if (paymentId !== null && paymentSecret !== null) return { paymentId, secret: paymentSecret };
  const payment = await client.payments.create(
    { amount: amountInCents, orderId: id },
    {
      // Made from the order, so that a repeated call is recognised even after a crash, for 24 hours.
      idempotencyKey: idempotencyKeyFrom("order", id),
      // A customer waits.
      deadlineMs: 15_000,
    },
  );
  orders.keepPayment(id, payment);
  return { paymentId: payment.paymentId, secret: payment.secret };
}
