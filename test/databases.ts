import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { inject } from "vitest";
import { postgres } from "../src/stores/postgres.ts";
import { sqlite } from "../src/stores/sqlite.ts";
import type { Store } from "../src/stores/store.ts";
import { fastFolder } from "./fast-folder.ts";
import { demanded } from "./on-demand.ts";

/** A new, empty database for a test, which can be queried without the store. */
export interface TestDatabase {
  /** Opens a store with a connection of its own. It is closed with the database. */
  open(options?: { clock?: string }): Store;
  /** The URL of a PostgreSQL database, or the path of a file: for other processes. */
  readonly address: string;
  /** Runs SQL that both databases take. `?` and `$1` differ, so values are in the text. */
  query(text: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** A database in memory, which is fast. All stores share its one connection. */
export function openInMemory(): TestDatabase & { readonly db: DatabaseSync } {
  const db = new DatabaseSync(":memory:");
  return {
    db,
    address: ":memory:",
    open: (options) => sqlite(db, options) as Store,
    query: async (statement) => run(db, statement),
    close: async () => db.close(),
  };
}

function run(db: DatabaseSync, statement: string): Record<string, unknown>[] {
  if (/^\s*(select|with)/i.test(statement)) return db.prepare(statement).all();
  db.exec(statement);
  return [];
}

/** Deletes the rows of settlekit's tables, but not the tables. */
export async function clear(database: TestDatabase, { dialect }: Store): Promise<void> {
  const isPostgres = dialect.name === "postgres";
  const tables = await database.query(
    isPostgres
      ? "SELECT format('settlekit.%I', tablename) AS name FROM pg_tables WHERE schemaname = 'settlekit'"
      : "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'settlekit_%'",
  );
  const names = tables
    .map(({ name }) => String(name))
    .filter((name) => !name.includes("migrations"));
  await database.query(names.map((name) => `DELETE FROM ${name}`).join("; "));
}

/** `SETTLEKIT_TEST_DATABASE_URL`, or the run's own server; undefined where there is no binary for this platform. */
export async function postgresServer(): Promise<string | undefined> {
  const { SETTLEKIT_TEST_DATABASE_URL: given } = process.env;
  if (given) return given;
  return demanded(inject("postgresStarter")).catch((error: Error) => {
    process.stderr.write(`Skipped: no PostgreSQL here. ${error.message}\n`);
    return undefined;
  });
}

/**
 * A new database on a server, dropped by `drop`.
 *
 * @param template The URL of the database to copy, to which nothing may be connected.
 */
export async function createPostgresDatabase(server: string, template?: string) {
  const name = `settlekit_${randomUUID().replaceAll("-", "")}`;
  const admin = async (text: string) => {
    const client = new pg.Client(server);
    await client.connect();
    await client.query(text);
    await client.end();
  };
  const from = template === undefined ? "" : `TEMPLATE ${new URL(template).pathname.slice(1)}`;
  await admin(`CREATE DATABASE ${name} ${from}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function openPostgres(server: string, template?: string): Promise<TestDatabase> {
  const { url, drop } = await createPostgresDatabase(server, template);
  const pools: pg.Pool[] = [];
  const stores: Store[] = [];
  const newPool = () => {
    const pool = new pg.Pool({ connectionString: url, max: 12 });
    pool.on("error", () => {});
    pools.push(pool);
    return pool;
  };
  let own: pg.Pool | undefined;
  return {
    address: url,
    open(options) {
      // Tests advance this process's clock faster than a busy server accepts connections.
      const store: Store = postgres(newPool(), { connectTimeoutMs: 3_600_000, ...options });
      stores.push(store);
      return store;
    },
    async query(statement) {
      own ??= newPool();
      return (await own.query(statement)).rows;
    },
    async close() {
      for (const store of stores) await store.close();
      for (const pool of pools) await pool.end();
      await drop();
    },
  };
}

export async function openSqlite(parent = fastFolder, backup?: string): Promise<TestDatabase> {
  const folder = await mkdtemp(join(parent, "settlekit-sqlite-"));
  const path = join(folder, "shop.db");
  if (backup !== undefined) await copyFile(backup, path);
  const stores: Store[] = [];
  const own = new DatabaseSync(path, { timeout: 20_000 });
  return {
    address: path,
    open(options) {
      const store: Store = sqlite(path, options);
      stores.push(store);
      return store;
    },
    async query(statement) {
      return run(own, statement);
    },
    async close() {
      for (const store of stores) await store.close();
      own.close();
      await rm(folder, { recursive: true });
    },
  };
}

const server = await postgresServer();

/** Every kind of database that is available here. Suites run on each. */
export const databases: [name: "SQLite" | "PostgreSQL", open: () => Promise<TestDatabase>][] = [
  ["SQLite", () => openSqlite()],
];
if (server !== undefined) databases.push(["PostgreSQL", () => openPostgres(server)]);

/** A copy as the database is now, as a backup holds it. Everything is disconnected from the original. */
export async function copyOf({ address, query }: TestDatabase): Promise<TestDatabase> {
  if (server !== undefined && URL.canParse(address)) {
    await query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await query("SELECT pg_terminate_backend(pg_backend_pid())").catch(() => {});
    return openPostgres(server, address);
  }
  const backup = `${address}.backup`;
  await query(`VACUUM INTO '${backup}'`);
  return openSqlite(fastFolder, backup);
}

/** The same for tests with thousands of databases, with SQLite in memory. */
export const fastDatabases: typeof databases = databases.map(([name, open]) => [
  name,
  name === "SQLite" ? async () => openInMemory() : open,
]);
