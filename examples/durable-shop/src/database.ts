import type { Effect, Store, StoreMode } from "settlekit/inbox";

/** What the shop needs of a database: where the inbox keeps its rows, and the shop's own statements. */
export interface ShopDatabase<Client, Mode extends StoreMode> {
  readonly store: Store<Client, Mode>;
  /** Marks an order as paid and ships it, in the inbox's transaction. */
  readonly ship: Effect<"payment", Client, Mode>;
  /** Creates the shop's tables where they are missing. */
  prepare(): Promise<void>;
  addOrder(orderId: string, amountInCents: number): Promise<void>;
  /** How often each order was shipped: never more than once. */
  shipments(): Promise<{ orderId: string; times: number }[]>;
  close(): Promise<void>;
}

/** Another shop's order, a different amount, or a second payment for the same order. */
export function reportUnmatched(paymentId: string): void {
  console.error(`Payment ${paymentId} fits no open order. Check whether to refund it.`);
}
