import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Database } from "./database.ts";

const schema = new URL("../migrations/0001_orders.sql", import.meta.url);

/** An SQLite file on Node. */
export function openSqlite(file: string): Database & { close(): void } {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL;");
  const isNew =
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'orders'").get() === undefined;
  if (isNew) database.exec(readFileSync(schema, "utf8"));
  return {
    async first({ sql, parameters = [] }) {
      return database.prepare(sql).get(...parameters);
    },
    async write(statements) {
      database.exec("BEGIN IMMEDIATE");
      try {
        for (const { sql, parameters = [] } of statements) database.prepare(sql).run(...parameters);
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    close: () => database.close(),
  };
}
