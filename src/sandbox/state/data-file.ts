import { chmodSync, closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../errors.ts";
import { loadSqlite, sqliteErrorOf, sqliteErrors } from "../../sqlite.ts";
import { formatVersion, tableSchema } from "./state.ts";
import type { Change, Contents, Store } from "./store.ts";

/** Marks the file as a sandbox's: "stlk" in ASCII. */
const applicationId = 0x73_74_6c_6b;

const ownerOnly = 0o600;

/** The files open in this process. Opening one again, even to read it, would release SQLite's lock. */
const openFiles = new Set<string>();

/**
 * Keeps a store in an SQLite file, which no other process can open at the same time. An existing file replaces the
 * store's contents.
 *
 * @returns A function that closes the file.
 * @throws {ConfigurationError} code `data_in_use`, `invalid_data`, `cannot_open_data` or `no_sqlite`. The file is then
 * left untouched.
 */
export function keepInFile(store: Store, path: string): () => void {
  const { DatabaseSync } = loadSqlite(
    "data",
    "Use Node 22.13 or later, or leave out data and store the result of save() yourself.",
  );
  let close = () => {};
  try {
    // The file holds secrets. SQLite gives its companion files the same mode.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) closeSync(openSync(path, "a", ownerOnly));
    // A pipe has no end, and a device must keep its mode.
    else if (!stats.isFile()) throw foreign(path);
    // Absolute, because SQLite would take file:shop.db for a URL.
    const file = realpathSync(path);
    if (openFiles.has(file)) throw inUse(path);
    checkHeader(path, headerOf(file));
    chmodSync(file, ownerOnly);
    const database = new DatabaseSync(file);
    openFiles.add(file);
    close = () => {
      close = () => {};
      store.detach();
      database.close();
      openFiles.delete(file);
    };
    prepare(database);
    store.keep(writerTo(database, path), contentsOf(database));
    store.commit();
  } catch (error) {
    close();
    throw openingError(path, error);
  }
  return () => {
    try {
      store.commit();
    } finally {
      close();
    }
  };
}

/** Checks the file without SQLite, which would modify some other programs' files. An empty one is new. */
function checkHeader(path: string, header: Buffer): void {
  if (header.length === 0) return;
  const isDatabase =
    header.toString("latin1", 0, 16) === "SQLite format 3\0" && header.length === 100;
  if (!isDatabase || header.readUInt32BE(68) !== applicationId) {
    throw foreign(path);
  }
  const version = header.readUInt32BE(60);
  if (version === formatVersion) return;
  throw invalidData(
    path,
    `has version ${version}, but this settlekit reads version ${formatVersion}. Use the version of settlekit ` +
      "that wrote it, or another file",
  );
}

/** The first 100 bytes of a file, or fewer if it is shorter: it may be too large to be read as a whole. */
function headerOf(file: string): Buffer {
  // To write, too: `chmod` would make a read-only file writable.
  const opened = openSync(file, "r+");
  try {
    const header = Buffer.alloc(100);
    return header.subarray(0, readSync(opened, header));
  } finally {
    closeSync(opened);
  }
}

function prepare(database: DatabaseSync): void {
  // The lock is held until the file is closed or the process ends.
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
  database.exec("BEGIN EXCLUSIVE");
  // Decided under the lock: another process may have created it, or have been killed while doing so.
  if (database.prepare("PRAGMA user_version").get()?.user_version === 0) {
    database.exec(`
      CREATE TABLE entries (
        -- The keys' insertion order.
        place INTEGER PRIMARY KEY,
        tab TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        UNIQUE (tab, key)
      ) STRICT;
      PRAGMA application_id = ${applicationId};
      PRAGMA user_version = ${formatVersion};
    `);
  }
  database.exec("COMMIT");
  // Committed changes survive a killed process. Only a machine crash may lose the latest ones.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

function writerTo(database: DatabaseSync, path: string): (changes: readonly Change[]) => void {
  const clear = database.prepare("DELETE FROM entries WHERE tab = ?");
  const remove = database.prepare("DELETE FROM entries WHERE tab = ? AND key = ?");
  const put = database.prepare(
    "INSERT INTO entries (tab, key, value) VALUES (?, ?, ?) " +
      "ON CONFLICT (tab, key) DO UPDATE SET value = excluded.value",
  );
  return (changes) => {
    try {
      database.exec("BEGIN IMMEDIATE");
      for (const { table, key, value } of changes) {
        if (key === undefined) clear.run(table);
        else if (value === undefined) remove.run(table, key);
        else put.run(table, key, JSON.stringify(value));
      }
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw failed(
        `${path} cannot be written: ${(error as Error).message}. Free some disk space. The unwritten changes are ` +
          "written with the next one, or lost if the sandbox closes or its process ends first.",
        "cannot_write_data",
        error,
      );
    }
  };
}

/** Undefined for a new file, or one whose first process was killed before it wrote anything. */
function contentsOf(database: DatabaseSync): Contents | undefined {
  // Without the index, rows can be read, but not written.
  const { integrity_check: result } = database.prepare("PRAGMA integrity_check(1)").get() ?? {};
  if (result !== "ok") throw new Error(String(result));
  const rows = database.prepare("SELECT tab, key, value FROM entries ORDER BY place").iterate();
  const tables = Map.groupBy(rows, ({ tab }) => String(tab));
  const contents: Record<string, [string, unknown][]> = {};
  for (const [name, entries] of tables) {
    contents[name] = entries.map(({ key, value }) => [String(key), JSON.parse(String(value))]);
    tableSchema(name).parse(contents[name]);
  }
  return tables.size > 0 ? contents : undefined;
}

/** A table is missing, or pages are corrupt. */
const { error: noTable, corrupt, notADatabase } = sqliteErrors;
const damages: readonly unknown[] = [noTable, corrupt, notADatabase];

function openingError(path: string, error: unknown): ConfigurationError {
  if (error instanceof ConfigurationError) return error;
  const reason = sqliteErrorOf(error);
  if (reason === sqliteErrors.busy) return inUse(path);
  // Neither SQLite's error nor Node's own: the contents do not fit.
  const isUnfit = !("code" in (error as Error));
  if (isUnfit || damages.includes(reason)) return invalidData(path, "is damaged. Use another file");
  return failed(
    `${path} cannot be opened: ${(error as Error).message}. Use a file in a folder that exists and is writable.`,
    "cannot_open_data",
    error,
  );
}

function inUse(path: string): ConfigurationError {
  return failed(
    `Another sandbox is using ${path}. Stop that sandbox, or use another file.`,
    "data_in_use",
  );
}

function foreign(path: string): ConfigurationError {
  return invalidData(path, "is not a sandbox's data file. Use another file, or a new one");
}

function invalidData(path: string, problem: string): ConfigurationError {
  return failed(`${path} ${problem}. Nothing was changed.`, "invalid_data");
}

function failed(message: string, code: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(message, { code, param: "data", cause });
}
