import { DatabaseSync } from "node:sqlite";
import type { Database } from "./database.ts";
import { schema } from "./orders.ts";

/** A SQLite file on Node. */
export function openSqlite(file: string): Database & { close(): void } {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;");
  for (const { sql } of schema) database.exec(sql);
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
