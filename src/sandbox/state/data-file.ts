import { chmodSync, closeSync, openSync, readSync, realpathSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { ConfigurationError } from "../../errors.ts";
import { loadSqlite, sqliteErrorOf, sqliteErrors } from "../../sqlite.ts";
import { formatVersion } from "./state.ts";
import type { Contents, Journal, WholeStore } from "./store.ts";

/** A SQLite database that holds what a store does, and is told of its changes. */
interface DataFile {
  /** What it holds; `undefined` when it is new. */
  read(): Contents | undefined;
  /** Its commits write everything that it was told, or nothing. */
  readonly journal: Journal;
  /** Lets go of the file. What was not committed is not written. */
  close(): void;
}

/** Marks the file as a sandbox's: "stlk" in ASCII. */
const applicationId = 0x73_74_6c_6b;

const ownerOnly = 0o600;

/** What this process has open. Merely to look into such a file would undo SQLite's lock on it. */
const openFiles = new Set<string>();

/** What became of a table since the last commit. */
interface Changes {
  /** Whether everything before is gone. */
  isReplaced: boolean;
  readonly deleted: Set<string>;
  readonly set: Map<string, unknown>;
}

/**
 * Has a store go on where a file ends, and written to it from then on.
 *
 * @returns What ends that.
 * @throws {ConfigurationError} As `openDataFile` does.
 */
export function keepInFile(store: WholeStore, path: string): () => void {
  const file = openDataFile(path);
  try {
    store.recordTo(file.journal, file.read());
  } catch {
    file.close();
    throw invalidData(path, "is damaged: what it holds does not fit together. Name another file");
  }
  const close = () => {
    store.commit();
    file.close();
  };
  store.commit();
  return close;
}

/**
 * Opens a file, or makes it. Nobody else can open it until it is closed.
 *
 * @throws {ConfigurationError} code `data_in_use`, `invalid_data`, `cannot_open_data` or `no_sqlite`. The file is
 * untouched then.
 */
function openDataFile(path: string): DataFile {
  const { DatabaseSync } = loadSqlite(
    "data",
    "Use Node 22.13 or later, or leave out data and keep what save() gives.",
  );
  if (openFiles.has(realPathOf(path))) throw inUse(path);
  const isNew = checkHeader(path);
  const database = opened(() => {
    // It holds secrets. SQLite gives the files beside it the same mode.
    closeSync(openSync(path, "a", ownerOnly));
    chmodSync(path, ownerOnly);
    return new DatabaseSync(path);
  }, path);
  const { clear, remove, put } = opened(() => {
    try {
      prepare(database, isNew);
      return statementsOf(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }, path);
  const realPath = realPathOf(path);
  openFiles.add(realPath);

  const changed = new Map<string, Changes>();
  let isCommitDue = false;
  let isOpen = true;

  function changesOf(table: string): Changes {
    commitSoon();
    const known = changed.get(table);
    if (known !== undefined) return known;
    const changes: Changes = { isReplaced: false, deleted: new Set(), set: new Map() };
    changed.set(table, changes);
    return changes;
  }

  /** For what nobody waits for, such as time that passes. */
  function commitSoon(): void {
    if (isCommitDue) return;
    isCommitDue = true;
    process.nextTick(() => {
      isCommitDue = false;
      try {
        commit();
      } catch (error) {
        // There is nobody to throw it at, and the sandbox goes on: answers will say it too.
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    });
  }

  function commit(): void {
    if (!isOpen) changed.clear();
    if (changed.size === 0) return;
    try {
      database.exec("BEGIN IMMEDIATE");
      for (const [table, { isReplaced, deleted, set }] of changed) {
        if (isReplaced) clear.run(table);
        for (const key of deleted) remove.run(table, key);
        for (const [key, value] of set) put.run(table, key, JSON.stringify(value));
      }
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw cannotWrite(error, path);
    }
    changed.clear();
  }

  return {
    read: () => (isNew ? undefined : contentsOf(database)),
    journal: {
      set: (table, key, value) => void changesOf(table).set.set(key, value),
      deleted(table, key) {
        const { deleted, set } = changesOf(table);
        set.delete(key);
        deleted.add(key);
      },
      replaced(table, entries) {
        commitSoon();
        changed.set(table, { isReplaced: true, deleted: new Set(), set: new Map(entries) });
      },
      commit,
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      database.close();
      openFiles.delete(realPath);
    },
  };
}

/** Looks at the file without SQLite, which would change some that are not ours. Tells whether it is new. */
function checkHeader(path: string): boolean {
  const header = headerOf(path);
  if (header.length === 0) return true;
  const isDatabase =
    header.toString("latin1", 0, 16) === "SQLite format 3\0" && header.length === 100;
  if (!isDatabase || header.readUInt32BE(68) !== applicationId) {
    throw invalidData(path, "is not a sandbox's data. Name another file, which may be a new one");
  }
  const version = header.readUInt32BE(60);
  if (version !== formatVersion) {
    throw invalidData(
      path,
      `has version ${version}, but this settlekit reads version ${formatVersion}. Use the settlekit that wrote ` +
        "it, or name another file",
    );
  }
  return false;
}

/** The first 100 bytes of a file; fewer where it has fewer, none where there is no file. */
function headerOf(path: string): Buffer {
  const header = Buffer.alloc(100);
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return Buffer.of();
    throw cannotOpen(error, path);
  }
  try {
    return header.subarray(0, readSync(file, header));
  } catch (error) {
    throw cannotOpen(error, path);
  } finally {
    closeSync(file);
  }
}

function prepare(database: DatabaseSync, isNew: boolean): void {
  // Held until the file is closed, by whatever end the process meets.
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
  database.exec("BEGIN EXCLUSIVE");
  if (isNew) {
    database.exec(`
      CREATE TABLE entries (
        -- In the order in which the keys came.
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
  // Survives the end of the process at any moment; only a crash of the machine may cost the last moments.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

function statementsOf(database: DatabaseSync) {
  return {
    clear: database.prepare("DELETE FROM entries WHERE tab = ?"),
    remove: database.prepare("DELETE FROM entries WHERE tab = ? AND key = ?"),
    put: database.prepare(
      "INSERT INTO entries (tab, key, value) VALUES (?, ?, ?) " +
        "ON CONFLICT (tab, key) DO UPDATE SET value = excluded.value",
    ),
  };
}

function contentsOf(database: DatabaseSync): Contents {
  const rows = database.prepare("SELECT tab, key, value FROM entries ORDER BY place").iterate();
  const tables = Map.groupBy(rows, ({ tab }) => String(tab));
  return Object.fromEntries(
    Array.from(tables, ([name, entries]) => [
      name,
      entries.map(({ key, value }) => [String(key), JSON.parse(String(value))]),
    ]),
  );
}

function opened<Result>(open: () => Result, path: string): Result {
  try {
    return open();
  } catch (error) {
    throw cannotOpen(error, path);
  }
}

/** The same for every way to write it; the path itself where there is no such file yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function inUse(path: string): ConfigurationError {
  return new ConfigurationError(
    `Another sandbox is using ${path}. Stop that one, or name another file.`,
    { code: "data_in_use", param: "data" },
  );
}

function invalidData(path: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${path} ${problem}. Nothing was changed.`, {
    code: "invalid_data",
    param: "data",
  });
}

function cannotWrite(error: unknown, path: string): ConfigurationError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ConfigurationError(
    `${path} cannot be written: ${reason}. Make room for it, or name another file. What was not written is tried ` +
      "again with the next change.",
    { code: "cannot_write_data", param: "data", cause: error },
  );
}

/** Its table is missing, or its pages make no sense. */
const damages: ReadonlySet<number> = new Set([
  sqliteErrors.error,
  sqliteErrors.corrupt,
  sqliteErrors.notADatabase,
]);

function cannotOpen(error: unknown, path: string): ConfigurationError {
  const reason = sqliteErrorOf(error);
  if (reason === sqliteErrors.busy) return inUse(path);
  if (reason !== undefined && damages.has(reason)) {
    return invalidData(path, "is damaged. Name another file");
  }
  const message = error instanceof Error ? error.message : String(error);
  return new ConfigurationError(
    `${path} cannot be opened: ${message}. Name a file in a folder that exists and may be written to.`,
    { code: "cannot_open_data", param: "data", cause: error },
  );
}
