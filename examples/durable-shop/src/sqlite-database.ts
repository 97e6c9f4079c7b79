import { DatabaseSync } from "node:sqlite";
import { sqlite } from "settlekit/sqlite";
import { reportUnmatched, type ShopDatabase } from "./database.ts";

/** The shop on SQLite: one connection for the orders and the inbox, so that both commit in one transaction. */
export function openSqlite(file: string): ShopDatabase<DatabaseSync, "sync"> {
  const db = new DatabaseSync(file, { timeout: 5_000 });
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  const store = sqlite(db);
  return {
    store,
    ship(tx, { id, orderId, amountInCents }, { after }) {
      // The inbox runs this once per payment, and an order can have several, so the update claims the order.
      const { changes } = tx
        .prepare(
          "UPDATE orders SET payment_id = ? WHERE id = ? AND amount_in_cents = ? AND payment_id IS NULL",
        )
        .run(id, orderId ?? null, amountInCents);
      if (changes === 0) return reportUnmatched(id);
      tx.prepare("INSERT INTO shipments (order_id) VALUES (?)").run(orderId ?? null);
      after("email", { orderId });
    },
    async prepare() {
      db.exec(`
        CREATE TABLE IF NOT EXISTS orders (
          id TEXT PRIMARY KEY, amount_in_cents INTEGER NOT NULL, payment_id TEXT
        );
        CREATE TABLE IF NOT EXISTS shipments (order_id TEXT);
      `);
    },
    async addOrder(orderId, amountInCents) {
      const insert = db.prepare("INSERT INTO orders (id, amount_in_cents) VALUES (?, ?)");
      insert.run(orderId, amountInCents);
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
