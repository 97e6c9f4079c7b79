import { DatabaseSync } from "node:sqlite";
import { sqlite } from "settlekit/sqlite";
import type { ShopDatabase } from "./database.ts";

/** The shop on SQLite: one connection for the orders and the inbox, so that both can commit as one. */
export function openSqlite(file: string): ShopDatabase<DatabaseSync, "sync"> {
  const db = new DatabaseSync(file, { timeout: 5_000 });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const store = sqlite(db);
  return {
    store,
    ship(tx, { orderId }, { after }) {
      tx.prepare("INSERT INTO shipments (order_id) VALUES (?)").run(orderId ?? null);
      after("email", { orderId });
    },
    async prepare() {
      db.exec(`
        CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS shipments (order_id TEXT);
      `);
    },
    async addOrder(orderId) {
      db.prepare("INSERT INTO orders (id) VALUES (?)").run(orderId);
    },
    async shipments() {
      const rows = db.prepare(
        "SELECT order_id, count(*) AS times FROM shipments GROUP BY order_id",
      );
      return rows.all().map((row) => ({ orderId: String(row.order_id), times: Number(row.times) }));
    },
    async close() {
      await store.close();
      db.close();
    },
  };
}
