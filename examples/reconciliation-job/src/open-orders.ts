import type { DatabaseSync } from "node:sqlite";
import type { OpenOrder } from "./reconcile.ts";

/**
 * The orders since a time that are not paid, as far as the shop knows. Those that were not paid in time are
 * among them, because money may arrive after a payment has expired.
 */
export function openOrders(database: DatabaseSync, since: Date): OpenOrder[] {
  return database
    .prepare(
      "SELECT id, created_at AS createdAt FROM orders WHERE state <> 'paid' AND created_at > ?",
    )
    .all(since.toISOString())
    .map(({ id, createdAt }) => ({ id: String(id), createdAt: new Date(String(createdAt)) }));
}
