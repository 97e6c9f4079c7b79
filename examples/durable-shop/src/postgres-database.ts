import pg from "pg";
import { postgres } from "settlekit/postgres";
import { reportUnmatched, type ShopDatabase } from "./database.ts";

/** The shop on PostgreSQL, for any number of servers. */
export function openPostgres(url: string): ShopDatabase<pg.PoolClient, "async"> {
  // More than the worker's concurrency, because orders and webhooks need clients, too.
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  const store = postgres(pool);
  return {
    store,
    async ship(tx, { id, orderId, amountInCents }, { after }) {
      // The inbox runs this once per payment, and an order can have several, so the update claims the order.
      const { rowCount } = await tx.query(
        "UPDATE orders SET payment_id = $1 WHERE id = $2 AND amount_in_cents = $3 AND payment_id IS NULL",
        [id, orderId, amountInCents],
      );
      if (rowCount === 0) return reportUnmatched(id);
      await tx.query("INSERT INTO shipments (order_id) VALUES ($1)", [orderId]);
      after("email", { orderId });
    },
    async prepare() {
      await pool.query(`
        CREATE TABLE IF NOT EXISTS orders (
          id TEXT PRIMARY KEY, amount_in_cents INTEGER NOT NULL, payment_id TEXT
        );
        CREATE TABLE IF NOT EXISTS shipments (order_id TEXT);
      `);
    },
    async addOrder(orderId, amountInCents) {
      const insert = "INSERT INTO orders (id, amount_in_cents) VALUES ($1, $2)";
      await pool.query(insert, [orderId, amountInCents]);
    },
    async shipments() {
      const { rows } = await pool.query<{ order_id: string; times: string }>(
        "SELECT order_id, count(*) AS times FROM shipments GROUP BY order_id ORDER BY order_id",
      );
      return rows.map((row) => ({ orderId: row.order_id, times: Number(row.times) }));
    },
    async close() {
      await store.close();
      await pool.end();
    },
  };
}
