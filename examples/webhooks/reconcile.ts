import { isFinal, type MerchantClient, type Payment } from "settlekit";

/** An order that is not known to be paid. */
export interface OpenOrder {
  readonly id: string;
  readonly createdAt: Date;
}

/**
 * Settles the payments of open orders, including those whose webhook never arrived. Run it every few minutes, with
 * the same idempotent `settle` that the webhook handler calls.
 */
export async function reconcile(
  client: MerchantClient,
  openOrders: readonly OpenOrder[],
  settle: (payment: Payment) => unknown,
): Promise<void> {
  if (openOrders.length === 0) return;
  const ids = new Set<string | null | undefined>(openOrders.map(({ id }) => id));
  const oldestMs = Math.min(...openOrders.map(({ createdAt }) => createdAt.getTime()));
  // Five more minutes, in case clocks differ.
  const stopMs = oldestMs - 5 * 60_000;
  const newestFirst = { sortBy: "createdAt", sortOrder: "DESC", limit: 1000 } as const;
  for await (const { data } of client.payments.list(newestFirst).pages()) {
    for (const payment of data) {
      // Matching by orderId also finds payments whose creation got no response.
      if (ids.has(payment.orderId) && isFinal(payment.status)) await settle(payment);
    }
    // One old payment is not enough to stop: payments can move while the list is read.
    if (data.every(({ createdAt }) => Date.parse(createdAt) < stopMs)) return;
  }
}
