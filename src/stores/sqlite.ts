/**
 * The inbox and the payout ledger on SQLite, with Node's own `node:sqlite`.
 *
 * @module settlekit/sqlite
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError, StoreError } from "../errors.ts";
import { loadSqlite, sqliteErrorOf, sqliteErrors } from "../sqlite.ts";
import { checkOptionNames, invalidOption, show } from "../values.ts";
import { sqliteDialect } from "./dialects.ts";
import {
  notMigrated,
  type Row,
  type Store,
  type TransactionOptions,
  transactionEnded,
  type Work,
} from "./store.ts";
import { checkWhole } from "./worker.ts";

export { StoreError } from "../errors.ts";
export type { Store, StoreMode } from "./store.ts";

/** The options of `sqlite`. */
export interface SqliteOptions {
  /**
   * How long to wait while another process writes, in milliseconds. Only for a database opened by path.
   *
   * @defaultValue 5_000
   */
  readonly busyTimeoutMs?: number | undefined;
  /**
   * The clock: an SQL expression for milliseconds since 1970. For tests, such as `(SELECT ms FROM test_clock)`.
   * Default: the database's clock.
   */
  readonly clock?: string | undefined;
}

/** The inbox or the payout ledger on SQLite; `tx` is the `DatabaseSync` inside an open transaction. */
export type SqliteStore = Store<DatabaseSync, "sync">;

/**
 * Keeps the rows in an SQLite file, which is created if it does not exist, or in a database that is already open.
 * Several processes on one machine may share the file.
 *
 * A path is opened with `journal_mode=WAL`, `synchronous=FULL` and a busy timeout. Open your own `DatabaseSync` with them,
 * too: `new DatabaseSync(path, { timeout: 5_000 })` and `PRAGMA journal_mode = WAL`.
 *
 * @throws {ConfigurationError} when the platform has no `node:sqlite`, the file cannot be opened, or the open database
 * would not make commits durable.
 * @example
 * ```ts
 * const store = sqlite("shop.db");
 * await store.close();
 * ```
 */
export function sqlite(database: string | DatabaseSync, options: SqliteOptions = {}): SqliteStore {
  checkOptionNames(options, ["busyTimeoutMs", "clock"]);
  const { busyTimeoutMs = 5_000, clock } = options;
  checkWhole("busyTimeoutMs", busyTimeoutMs, 0);
  const isPath = typeof database === "string";
  const db = isPath ? openFile(database, busyTimeoutMs) : checkedDatabase(database);
  const dialect = sqliteDialect(clock);
  const statements = new Map<string, StatementSync>();
  const listeners = new Map<string, Set<() => void>>();

  function execute(text: string, values: readonly (string | number | null)[]): Row[] {
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = prepare(db, dialect.expand(text));
      statements.set(text, statement);
    }
    return statement.all(...values) as Row[];
  }

  function drive<T>(work: Work<T, DatabaseSync>): T {
    let step = work.next();
    while (!step.done) {
      let result: unknown;
      try {
        const { value } = step;
        result =
          "run" in value
            ? runSync(db, value.run)
            : own(db, () => execute(value.text, value.values));
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(result);
    }
    return step.value;
  }

  async function close(): Promise<void> {
    listeners.clear();
    statements.clear();
    if (isPath && db.isOpen) db.close();
  }

  return {
    mode: "sync",
    dialect,
    async transaction<T>(work: () => Work<T, DatabaseSync>, { wake }: TransactionOptions = {}) {
      own(db, () => db.exec("BEGIN IMMEDIATE"));
      let result: T;
      try {
        result = drive(work());
        own(db, () => db.exec("COMMIT"));
      } catch (error) {
        // If the disk was full, SQLite has already ended the transaction.
        if (isOpen(db)) db.exec("ROLLBACK");
        throw error;
      }
      for (const onWake of listeners.get(wake ?? "") ?? []) queueMicrotask(onWake);
      return result;
    },
    join(tx, work) {
      if (tx !== db) {
        throw new StoreError(
          "`tx` is not the database of this store. Give sqlite() the DatabaseSync that you write your own rows with, and pass " +
            "that as `tx`.",
          { code: "no_transaction" },
        );
      }
      if (!isOpen(db)) {
        throw new StoreError(
          "`tx` has no open transaction. Run BEGIN IMMEDIATE on it first, or leave `tx` out.",
          { code: "no_transaction" },
        );
      }
      return drive(work());
    },
    listen(channel, onWake) {
      const set = listeners.get(channel) ?? new Set();
      listeners.set(channel, set.add(onWake));
      return async () => void set.delete(onWake);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function loadDatabaseSync() {
  return loadSqlite("database", "Use Node 22.13 or later, or settlekit/postgres.").DatabaseSync;
}

function openFile(path: string, timeout: number): DatabaseSync {
  const DatabaseSync = loadDatabaseSync();
  try {
    const db = new DatabaseSync(path, { timeout });
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    return db;
  } catch (cause) {
    throw new ConfigurationError(
      `The SQLite database ${show(path)} cannot be opened. Check that its folder exists and is writable, and that the ` +
        "file is an SQLite database.",
      { code: "cannot_open_database", param: "database", cause },
    );
  }
}

function checkedDatabase(db: DatabaseSync): DatabaseSync {
  // Other packages' databases have methods with the same names but different behaviour.
  if (!(db instanceof loadDatabaseSync())) {
    const rule = "sqlite() takes a path or a DatabaseSync from node:sqlite";
    throw invalidOption("database", `${rule}, got ${show(db)}.`);
  }
  const { synchronous } = prepare(db, "PRAGMA synchronous").get() as { synchronous: number };
  if (synchronous >= 2) return db;
  throw invalidOption(
    "database",
    "The database's synchronous mode is below FULL: a power cut could undo a commit after the service got its 200. Run " +
      "PRAGMA synchronous = FULL on it.",
  );
}

/** Prepares a statement that returns rows as objects and integers as numbers, whatever the database's options. */
function prepare(db: DatabaseSync, text: string): StatementSync {
  const statement = db.prepare(text);
  statement.setReadBigInts(false);
  // Node 22.13 can return only objects.
  statement.setReturnArrays?.(false);
  return statement;
}

/** Runs the merchant's code, which must end before this returns and leave the transaction open. */
function runSync(db: DatabaseSync, run: (tx: DatabaseSync) => unknown): unknown {
  const result = run(db);
  if (typeof Object(result).then === "function") {
    // Avoids an unhandled rejection: the promise may reject once the transaction is rolled back.
    Promise.resolve(result).catch(() => {});
    throw new StoreError(
      "An effect on SQLite returned a promise. Make it synchronous: an await would let other work join the transaction. Do " +
        "slow work in a task, with after().",
      { code: "async_effect" },
    );
  }
  if (isOpen(db)) return result;
  throw transactionEnded();
}

function isOpen(db: DatabaseSync): boolean {
  // Before Node 22.16, only a second BEGIN shows it.
  if (typeof db.isTransaction === "boolean") return db.isTransaction;
  try {
    db.exec("BEGIN");
    db.exec("ROLLBACK");
    return false;
  } catch {
    return true;
  }
}

/** Runs settlekit's own SQL, and translates its failures. */
function own<T>(db: DatabaseSync, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw explained(db, error);
  }
}

function explained(db: DatabaseSync, cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const { message } = cause;
  if (/no such (table|column): settlekit_|has no column/.test(message))
    return notMigrated(undefined, undefined, cause);
  if (/within a transaction/.test(message)) {
    return new StoreError(
      "Other code has an open transaction on this database, and settlekit's writes would become part of it. Do not await " +
        "inside a transaction on a DatabaseSync that you share with settlekit, or give sqlite() a connection of its own.",
      { code: "transaction_open", cause },
    );
  }
  if ("errcode" in cause && cause.errcode === sqliteErrors.busySnapshot) {
    return new StoreError(
      "Another connection wrote after your transaction had read, so SQLite refuses its writes. Run your whole transaction " +
        "again, and begin it with BEGIN IMMEDIATE.",
      { code: "store_conflict", cause },
    );
  }
  const number = sqliteErrorOf(cause);
  if (number === sqliteErrors.busy || number === sqliteErrors.locked) {
    const { timeout: ms } = prepare(db, "PRAGMA busy_timeout").get() as { timeout: number };
    const cure =
      ms === 0
        ? "Open it with a timeout, such as new DatabaseSync(path, { timeout: 5_000 }): by default, Node does not wait."
        : "Keep write transactions short, without an await in them, or use settlekit/postgres.";
    return new StoreError(
      "Another connection, in this process or another one, kept the SQLite database locked for longer than the busy timeout " +
        `of ${ms} ms. ${cure}`,
      { code: "store_busy", cause },
    );
  }
  if (number === sqliteErrors.full || number === sqliteErrors.io) {
    return new StoreError(
      `SQLite could not write: ${message}. Nothing was partially written. Check that the disk has free space, and that ` +
        "the -wal and -shm files beside the database are its own.",
      { code: "store_full", cause },
    );
  }
  return new StoreError(`SQLite failed: ${message}. See \`cause\`.`, {
    code: "store_failed",
    cause,
  });
}
