import pg from "pg";
import { postgres } from "settlekit/postgres";
import type { ShopDatabase } from "./database.ts";

/** The shop on PostgreSQL, for any number of servers. */
export function openPostgres(url: string): ShopDatabase<pg.PoolClient, "async"> {
  // More than the worker's concurrency, because orders and webhooks need clients, too.
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  const store = postgres(pool);
  return {
    store,
    async ship(tx, { orderId }, { after }) {
      await tx.query("INSERT INTO shipments (order_id) VALUES ($1)", [orderId]);
      after("email", { orderId });
    },
    async prepare() {
      await pool.query(`
        CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS shipments (order_id TEXT);
      `);
    },
    async addOrder(orderId) {
      await pool.query("INSERT INTO orders (id) VALUES ($1)", [orderId]);
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
