import type { DatabaseSync } from "node:sqlite";
import type { OpenOrder } from "./reconcile.ts";

/**
 * The orders placed after `since` that are not known to be paid. Includes orders whose payment has expired,
 * because money can still arrive.
 */
export function openOrders(database: DatabaseSync, since: Date): OpenOrder[] {
  return database
    .prepare(
      "SELECT id, created_at AS createdAt FROM orders WHERE state <> 'paid' AND created_at > ?",
    )
    .all(since.toISOString())
    .map(({ id, createdAt }) => ({ id: String(id), createdAt: new Date(String(createdAt)) }));
}
