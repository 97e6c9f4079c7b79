import type { DatabaseSync } from "node:sqlite";
import { isFinal, type Withdrawal } from "settlekit";
import type { DuePayout } from "./read-payouts.ts";

/**
 * - `planned`: nothing has been sent.
 * - `sending`: a withdrawal may have been requested. Only a lookup can tell.
 * - `sent`: the withdrawal exists and is on its way.
 * - `completed`, `failed`, `cancelled`: how the withdrawal ended. A new payout takes a new order id.
 * - `refused`: the request was invalid, as `problem` explains. No withdrawal was created.
 * - `needs_decision`: the order id has several withdrawals, or one with other parameters.
 */
export type PayoutState =
  | "planned"
  | "sending"
  | "sent"
  | "completed"
  | "failed"
  | "cancelled"
  | "refused"
  | "needs_decision";

export interface Payout extends DuePayout {
  readonly state: PayoutState;
  readonly withdrawalId: string | null;
  readonly problem: string | null;
  /** ISO 8601, UTC. */
  readonly plannedAt: string;
}

/** The table of payouts. Every change is on disk before the next step. */
export class Payouts {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    database.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA journal_mode = WAL;
      -- A power cut must not lose the fact that a request was sent.
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

  /** Adds new payouts to the table. Throws if a known one has other parameters now. */
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

  /** Payouts in these states, in the order in which they were planned. */
  inState(...states: readonly PayoutState[]): Payout[] {
    return this.#select(`state IN (${states.map(() => "?").join(", ")})`, ...states);
  }

  all(): Payout[] {
    return this.#select("true");
  }

  /** Records that a request may leave. Call it before sending. */
  sending(orderId: string): void {
    this.#update("state = 'sending'", orderId);
  }

  /** Records the payout's withdrawal and its status. */
  keep(orderId: string, { id, status, errorMessage = null }: Withdrawal): void {
    const state = isFinal(status) ? status : "sent";
    this.#update("state = ?, withdrawal_id = ?, problem = ?", orderId, state, id, errorMessage);
  }

  /** Takes a payout out of the runs, until a person has dealt with it. */
  stop(orderId: string, state: "refused" | "needs_decision", problem: string): void {
    this.#update("state = ?, problem = ?", orderId, state, problem);
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
