import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { isFinal, isPaid, type Payment } from "settlekit";

export interface Order {
  readonly id: string;
  readonly product: string;
  /** USD cents. */
  readonly amountInCents: number;
  readonly state: "awaiting payment" | "paid" | "not paid";
  readonly paymentId: string | null;
  readonly paymentUrl: string | null;
  readonly createdAt: string;
}

/** The shop's orders, and the work to do once their payments are final. */
export class Orders {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    database.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS orders (
        id TEXT PRIMARY KEY,
        product TEXT NOT NULL,
        amount_in_cents INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'awaiting payment',
        payment_id TEXT,
        payment_url TEXT,
        created_at TEXT NOT NULL
      );
      -- Work to do: ship what was paid, release what was not. A worker can process these rows, here or
      -- in a process of its own. Each row exists once.
      CREATE TABLE IF NOT EXISTS effects (
        payment_id TEXT NOT NULL,
        state TEXT NOT NULL,
        order_id TEXT NOT NULL REFERENCES orders (id),
        PRIMARY KEY (payment_id, state)
      );`);
    this.#database = database;
  }

  /** Saves the order before its payment is created, so that a crash in between loses neither. */
  place(product: { name: string; priceInCents: number }): Order {
    const order: Order = {
      id: `order_${randomUUID()}`,
      product: product.name,
      amountInCents: product.priceInCents,
      state: "awaiting payment",
      paymentId: null,
      paymentUrl: null,
      createdAt: new Date().toISOString(),
    };
    this.#database
      .prepare("INSERT INTO orders (id, product, amount_in_cents, created_at) VALUES (?, ?, ?, ?)")
      .run(order.id, order.product, order.amountInCents, order.createdAt);
    return order;
  }

  find(id: string): Order | undefined {
    const row = this.#database
      .prepare(
        `SELECT id, product, amount_in_cents AS amountInCents, state,
           payment_id AS paymentId, payment_url AS paymentUrl, created_at AS createdAt
         FROM orders WHERE id = ?`,
      )
      .get(id);
    return row as Order | undefined;
  }

  /** Links the order to its payment. An order that has one already keeps it. */
  keepPayment(id: string, payment: { paymentId: string; paymentUrl: string }): void {
    this.#database
      .prepare(
        `UPDATE orders SET payment_id = ?1, payment_url = ?2
         WHERE id = ?3 AND coalesce(payment_id, ?1) = ?1`,
      )
      .run(payment.paymentId, payment.paymentUrl, id);
  }

  /**
   * Records how a payment ended. Safe to call any number of times, in any order and from any number of
   * processes. Returns false when the payment is not the order's own: the order is unknown, the amount
   * differs, or the order has another payment.
   */
  settle(payment: Payment): boolean {
    const { id, orderId = null, amountInCents } = payment;
    if (isFinal(payment.status)) {
      // To this shop, "confirmed" and "completed" are both paid, and every other final status is not.
      const state = isPaid(payment.status) ? "paid" : "not paid";
      // Both statements check the order inside the transaction, because another process may be settling it.
      // Money can arrive after a payment has expired, but a paid order stays paid.
      const isDue = `id = ?3 AND amount_in_cents = ?4 AND coalesce(payment_id, ?1) = ?1
        AND state <> 'paid'`;
      this.#inTransaction(() => {
        for (const sql of [
          `INSERT INTO effects (payment_id, state, order_id)
             SELECT ?1, ?2, id FROM orders WHERE ${isDue} ON CONFLICT DO NOTHING`,
          `UPDATE orders SET payment_id = ?1, state = ?2 WHERE ${isDue}`,
        ]) {
          this.#database.prepare(sql).run(id, state, orderId, amountInCents);
        }
      });
    }
    const order = orderId === null ? undefined : this.find(orderId);
    return order?.amountInCents === amountInCents && (order.paymentId ?? id) === id;
  }

  #inTransaction(write: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      write();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}
