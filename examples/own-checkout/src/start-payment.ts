import { idempotencyKeyFrom, type MerchantClient } from "settlekit";
import type { Order, Orders } from "./orders.ts";

/** What the customer's browser needs. The secret gives access to this payment only. */
export interface StartedPayment {
  readonly paymentId: string;
  readonly secret: string;
}

/** Returns the order's payment, and creates it first if necessary. Repeating the call creates no second one. */
export async function startPayment(
  { id, amountInCents, paymentId, paymentSecret }: Order,
  { client, orders }: { client: MerchantClient; orders: Orders },
): Promise<StartedPayment> {
  if (paymentId !== null && paymentSecret !== null) return { paymentId, secret: paymentSecret };
  const payment = await client.payments.create(
    { amount: amountInCents, orderId: id },
    {
      // Derived from the order, so that the service recognises a repeated call for 24 hours, even after a crash.
      idempotencyKey: idempotencyKeyFrom("order", id),
      // A customer is waiting.
      deadlineMs: 15_000,
    },
  );
  orders.keepPayment(id, payment);
  return { paymentId: payment.paymentId, secret: payment.secret };
}
