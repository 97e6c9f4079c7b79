import type { DatabaseSync } from "node:sqlite";
import type { MerchantClient } from "settlekit";
import { openOrders } from "./open-orders.ts";
import { Orders } from "./orders.ts";
import { reconcile } from "./reconcile.ts";

interface ReconcileShopOptions {
  readonly client: MerchantClient;
  /** The shop's database. The shop and the job can write to it at the same time. */
  readonly database: DatabaseSync;
  readonly since: Date;
}

/** Settles every open order with its payment, and returns the ids of the orders that are now paid. */
export async function reconcileShop(options: ReconcileShopOptions): Promise<string[]> {
  const { client, database, since } = options;
  const orders = new Orders(database);
  const before = openOrders(database, since);
  await reconcile(client, before, (payment) => {
    if (orders.settle(payment)) return;
    console.error(
      `Payment ${payment.id} (${payment.status}) does not match its order. Look into it.`,
    );
  });
  return before.map(({ id }) => id).filter((id) => orders.find(id)?.state === "paid");
}
