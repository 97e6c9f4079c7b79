import type { DatabaseSync } from "node:sqlite";
import { isFinal, type Withdrawal } from "settlekit";
import type { DuePayout } from "./read-payouts.ts";

/**
 * - `planned`: nothing was ever sent for it.
 * - `sending`: a withdrawal may have been asked for; only looking it up can tell.
 * - `sent`: its withdrawal exists and is on its way.
 * - `completed`, `failed`, `cancelled`: how the withdrawal ended. A new payout takes a new order id.
 * - `refused`: it cannot be right as it is; `problem` says why. Nothing was sent.
 */
export type PayoutState =
  | "planned"
  | "sending"
  | "sent"
  | "completed"
  | "failed"
  | "cancelled"
  | "refused";

export interface Payout extends DuePayout {
  readonly state: PayoutState;
  readonly withdrawalId: string | null;
  readonly problem: string | null;
  /** ISO 8601, UTC. */
  readonly plannedAt: string;
}

/** The table of payouts. Every step is on disk before the next one is taken. */
export class Payouts {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    database.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA journal_mode = WAL;
      -- A power cut must not forget that something was sent.
      PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS payouts (
        order_id TEXT PRIMARY KEY,
        amount_in_cents INTEGER NOT NULL,
        chain_id INTEGER NOT NULL,
        recipient_address TEXT NOT NULL,
        state TEXT NOT NULL DEFAULT 'planned',
        withdrawal_id TEXT UNIQUE,
        problem TEXT,
        planned_at TEXT NOT NULL
      );`);
    this.#database = database;
  }

  /** Adds what is not in the table yet. What is there stays as it is, and must not have changed. */
  plan(due: readonly DuePayout[]): void {
    const insert = this.#database.prepare(
      `INSERT INTO payouts (order_id, amount_in_cents, chain_id, recipient_address, planned_at)
       VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    );
    for (const { orderId, amountInCents, chainId, recipientAddress } of due) {
      insert.run(orderId, amountInCents, chainId, recipientAddress, new Date().toISOString());
      const [kept] = this.#select("order_id = ?", orderId);
      const isSame =
        kept?.amountInCents === amountInCents &&
        kept.chainId === chainId &&
        kept.recipientAddress === recipientAddress;
      if (isSame) continue;
      throw new Error(
        `${orderId} was planned with other parameters. Give a new payout a new orderId.`,
      );
    }
  }

  /** In the order in which they were planned. */
  inState(...states: readonly PayoutState[]): Payout[] {
    return this.#select(`state IN (${states.map(() => "?").join(", ")})`, ...states);
  }

  all(): Payout[] {
    return this.#select("true");
  }

  /** Call it before anything is sent. */
  sending(orderId: string): void {
    this.#update("state = 'sending'", orderId);
  }

  /** Takes over how the payout's withdrawal stands. */
  keep(orderId: string, { id, status, errorMessage = null }: Withdrawal): void {
    const state = isFinal(status) ? status : "sent";
    this.#update("state = ?, withdrawal_id = ?, problem = ?", orderId, state, id, errorMessage);
  }

  refuse(orderId: string, problem: string): void {
    this.#update("state = 'refused', problem = ?", orderId, problem);
  }

  #update(assignments: string, orderId: string, ...values: (string | null)[]): void {
    const sql = `UPDATE payouts SET ${assignments} WHERE order_id = ?`;
    this.#database.prepare(sql).run(...values, orderId);
  }

  #select(condition: string, ...values: string[]): Payout[] {
    const rows: unknown[] = this.#database
      .prepare(
        `SELECT order_id AS orderId, amount_in_cents AS amountInCents, chain_id AS chainId,
           recipient_address AS recipientAddress, state, withdrawal_id AS withdrawalId, problem,
           planned_at AS plannedAt
         FROM payouts WHERE ${condition} ORDER BY rowid`,
      )
      .all(...values);
    return rows as Payout[];
  }
}
