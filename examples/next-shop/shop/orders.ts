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
}

/** The shop's orders, and what is to be done about them. */
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
      -- What a payment's state asks for: ship what was paid, release what was not. Each row exists once
      -- and is there to be worked off, by a process of its own if you like.
      CREATE TABLE IF NOT EXISTS effects (
        payment_id TEXT NOT NULL,
        state TEXT NOT NULL,
        order_id TEXT NOT NULL REFERENCES orders (id),
        PRIMARY KEY (payment_id, state)
      );`);
    this.#database = database;
  }

  /** Written before the payment is created: whatever dies then, the order knows its payment's key. */
  place(product: { name: string; priceInCents: number }): Order {
    const id = `order_${randomUUID()}`;
    this.#database
      .prepare("INSERT INTO orders (id, product, amount_in_cents, created_at) VALUES (?, ?, ?, ?)")
      .run(id, product.name, product.priceInCents, new Date().toISOString());
    return {
      id,
      product: product.name,
      amountInCents: product.priceInCents,
      state: "awaiting payment",
      paymentId: null,
      paymentUrl: null,
    };
  }

  find(id: string): Order | undefined {
    const row = this.#database
      .prepare(
        `SELECT id, product, amount_in_cents AS amountInCents, state,
           payment_id AS paymentId, payment_url AS paymentUrl
         FROM orders WHERE id = ?`,
      )
      .get(id);
    return row as Order | undefined;
  }

  keepPayment(id: string, payment: { paymentId: string; paymentUrl: string }): void {
    this.#database
      .prepare("UPDATE orders SET payment_id = ?, payment_url = ? WHERE id = ?")
      .run(payment.paymentId, payment.paymentUrl, id);
  }

  /**
   * Takes over what became of a payment, as the service has it now. Right however often, from however
   * many processes and in whatever order it is called. Gives false for a payment that is not the order's:
   * an unknown order, another amount than was asked for, or a second payment of the same order.
   */
  settle(payment: Payment): boolean {
    const { id, orderId = null, amountInCents } = payment;
    if (isFinal(payment.status)) {
      // "confirmed" and "completed" are one state, and so are all that brought no money.
      const state = isPaid(payment.status) ? "paid" : "not paid";
      const isTheOrders = "id = ?3 AND amount_in_cents = ?4 AND coalesce(payment_id, ?1) = ?1";
      this.#inTransaction(() => {
        for (const sql of [
          `INSERT INTO effects (payment_id, state, order_id)
             SELECT ?1, ?2, id FROM orders WHERE ${isTheOrders} ON CONFLICT DO NOTHING`,
          // Money may arrive after a payment has expired, but what was paid stays paid.
          `UPDATE orders SET payment_id = ?1, state = ?2 WHERE ${isTheOrders} AND state <> 'paid'`,
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
