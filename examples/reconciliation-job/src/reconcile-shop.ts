import type { DatabaseSync } from "node:sqlite";
import type { MerchantClient } from "settlekit";
import { openOrders } from "./open-orders.ts";
import { Orders } from "./orders.ts";
import { reconcile } from "./reconcile.ts";

interface ReconcileShopOptions {
  readonly client: MerchantClient;
  /** The shop's own: both may write at once, and what either has done the other does not do again. */
  readonly database: DatabaseSync;
  readonly since: Date;
}

/** Has every open order take over what became of its payment, and gives the ids of those now paid. */
export async function reconcileShop(options: ReconcileShopOptions): Promise<string[]> {
  const { client, database, since } = options;
  const orders = new Orders(database);
  const before = openOrders(database, since);
  await reconcile(client, before, (payment) => {
    if (orders.settle(payment)) return;
    console.error(`Payment ${payment.id} (${payment.status}) does not fit its order. Look at it.`);
  });
  return before.map(({ id }) => id).filter((id) => orders.find(id)?.state === "paid");
}
