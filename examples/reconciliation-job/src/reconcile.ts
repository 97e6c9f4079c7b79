import { isFinal, type MerchantClient, type Payment } from "settlekit";

/** An order that was not paid yet, as far as the shop knows. */
export interface OpenOrder {
  readonly id: string;
  readonly createdAt: Date;
}

/**
 * Finds the payments of orders whose webhook never came, and settles them. Run it every few minutes,
 * with the `settle` that the webhook calls: it has to be idempotent anyway.
 */
export async function reconcile(
  client: MerchantClient,
  openOrders: readonly OpenOrder[],
  settle: (payment: Payment) => unknown,
): Promise<void> {
  if (openOrders.length === 0) return;
  const ids = new Set<string | null | undefined>(openOrders.map(({ id }) => id));
  const oldestMs = Math.min(...openOrders.map(({ createdAt }) => createdAt.getTime()));
  // Five minutes more, for clocks that differ.
  const stopMs = oldestMs - 5 * 60_000;
  // Newest first. By orderId, so that payments are found whose creation got no answer, too.
  for await (const payment of client.payments.list({ limit: 1000 })) {
    if (Date.parse(payment.createdAt) < stopMs) return;
    if (ids.has(payment.orderId) && isFinal(payment.status)) await settle(payment);
  }
}
