import { isFinal, isPaid, type Payment } from "settlekit";
import type { Database } from "./database.ts";

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
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Saves the order before its payment is created, so that a crash in between loses neither. */
  async place(product: { name: string; priceInCents: number }): Promise<Order> {
    const order: Order = {
      id: `order_${crypto.randomUUID()}`,
      product: product.name,
      amountInCents: product.priceInCents,
      state: "awaiting payment",
      paymentId: null,
      paymentUrl: null,
      createdAt: new Date().toISOString(),
    };
    const sql =
      "INSERT INTO orders (id, product, amount_in_cents, created_at) VALUES (?1, ?2, ?3, ?4)";
    const parameters = [order.id, order.product, order.amountInCents, order.createdAt];
    await this.#database.write([{ sql, parameters }]);
    return order;
  }

  async find(id: string): Promise<Order | undefined> {
    const sql = `SELECT id, product, amount_in_cents AS amountInCents, state,
        payment_id AS paymentId, payment_url AS paymentUrl, created_at AS createdAt
      FROM orders WHERE id = ?1`;
    const row: unknown = await this.#database.first({ sql, parameters: [id] });
    return row as Order | undefined;
  }

  /** Links the order to its payment. An order that has one already keeps it. */
  async keepPayment(id: string, payment: { paymentId: string; paymentUrl: string }): Promise<void> {
    const sql = `UPDATE orders SET payment_id = ?1, payment_url = ?2
      WHERE id = ?3 AND coalesce(payment_id, ?1) = ?1`;
    const parameters = [payment.paymentId, payment.paymentUrl, id];
    await this.#database.write([{ sql, parameters }]);
  }

  /**
   * Records how a payment ended. Safe to call any number of times, in any order and from any number of
   * processes. Returns false when the payment is not the order's own: the order is unknown, the amount
   * differs, or the order has another payment.
   */
  async settle(payment: Payment): Promise<boolean> {
    const { id, orderId = null, amountInCents } = payment;
    if (isFinal(payment.status)) {
      // To this shop, "confirmed" and "completed" are both paid, and every other final status is not.
      const state = isPaid(payment.status) ? "paid" : "not paid";
      // Both statements check the order inside the transaction, because another process may be settling it.
      // Money can arrive after a payment has expired, but a paid order stays paid.
      const isDue = `id = ?3 AND amount_in_cents = ?4 AND coalesce(payment_id, ?1) = ?1
        AND state <> 'paid'`;
      const parameters = [id, state, orderId, amountInCents];
      await this.#database.write([
        {
          sql: `INSERT INTO effects (payment_id, state, order_id)
            SELECT ?1, ?2, id FROM orders WHERE ${isDue} ON CONFLICT DO NOTHING`,
          parameters,
        },
        { sql: `UPDATE orders SET payment_id = ?1, state = ?2 WHERE ${isDue}`, parameters },
      ]);
    }
    const order = orderId === null ? undefined : await this.find(orderId);
    return order?.amountInCents === amountInCents && (order.paymentId ?? id) === id;
  }
}
