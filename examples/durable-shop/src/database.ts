import type { Effect, Store, StoreMode } from "settlekit/inbox";

/** The shop's database: the store of the inbox, and the shop's own statements. */
export interface ShopDatabase<Client, Mode extends StoreMode> {
  readonly store: Store<Client, Mode>;
  /** Marks an order as paid and ships it, in the inbox's transaction. */
  readonly ship: Effect<"payment", Client, Mode>;
  /** Creates the shop's tables if they are missing. */
  prepare(): Promise<void>;
  addOrder(orderId: string, amountInCents: number): Promise<void>;
  /** How often each order was shipped: never more than once. */
  shipments(): Promise<{ orderId: string; times: number }[]>;
  close(): Promise<void>;
}

/** Reports a payment for another shop's order, of a different amount, or for an order that is already paid. */
export function reportUnmatched(paymentId: string): void {
  console.error(`Payment ${paymentId} matches no open order. Check whether to refund it.`);
}
