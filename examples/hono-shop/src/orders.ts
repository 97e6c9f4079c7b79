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
}

/** The shop's orders, and what is to be done about them. */
export class Orders {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Written before the payment is created: whatever dies then, the order knows its payment's key. */
  async place(product: { name: string; priceInCents: number }): Promise<Order> {
    const order: Order = {
      id: `order_${crypto.randomUUID()}`,
      product: product.name,
      amountInCents: product.priceInCents,
      state: "awaiting payment",
      paymentId: null,
      paymentUrl: null,
    };
    const sql =
      "INSERT INTO orders (id, product, amount_in_cents, created_at) VALUES (?1, ?2, ?3, ?4)";
    const { id, amountInCents } = order;
    const parameters = [id, order.product, amountInCents, new Date().toISOString()];
    await this.#database.write([{ sql, parameters }]);
    return order;
  }

  async find(id: string): Promise<Order | undefined> {
    const sql = `SELECT id, product, amount_in_cents AS amountInCents, state,
        payment_id AS paymentId, payment_url AS paymentUrl
      FROM orders WHERE id = ?1`;
    const row: unknown = await this.#database.first({ sql, parameters: [id] });
    return row as Order | undefined;
  }

  async keepPayment(id: string, payment: { paymentId: string; paymentUrl: string }): Promise<void> {
    const sql = "UPDATE orders SET payment_id = ?1, payment_url = ?2 WHERE id = ?3";
    const parameters = [payment.paymentId, payment.paymentUrl, id];
    await this.#database.write([{ sql, parameters }]);
  }

  /**
   * Takes over what became of a payment, as the service has it now. Right however often, from however
   * many processes and in whatever order it is called. Gives false for a payment that is not the order's:
   * an unknown order, another amount than was asked for, or a second payment of the same order.
   */
  async settle(payment: Payment): Promise<boolean> {
    const { id, orderId = null, amountInCents } = payment;
    if (isFinal(payment.status)) {
      // "confirmed" and "completed" are one state, and so are all that brought no money.
      const state = isPaid(payment.status) ? "paid" : "not paid";
      const parameters = [id, state, orderId, amountInCents];
      const isTheOrders = "id = ?3 AND amount_in_cents = ?4 AND coalesce(payment_id, ?1) = ?1";
      await this.#database.write([
        {
          sql: `INSERT INTO effects (payment_id, state, order_id)
            SELECT ?1, ?2, id FROM orders WHERE ${isTheOrders} ON CONFLICT DO NOTHING`,
          parameters,
        },
        {
          // Money may arrive after a payment has expired, but what was paid stays paid.
          sql: `UPDATE orders SET payment_id = ?1, state = ?2 WHERE ${isTheOrders} AND state <> 'paid'`,
          parameters,
        },
      ]);
    }
    const order = orderId === null ? undefined : await this.find(orderId);
    return order?.amountInCents === amountInCents && (order.paymentId ?? id) === id;
  }
}
