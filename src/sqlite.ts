import { ConfigurationError } from "./errors.ts";

type Sqlite = typeof import("node:sqlite");

/**
 * Loads Node's own SQLite on first use.
 *
 * @param param The option that needs it.
 * @param cure What to do if it is missing.
 * @throws {ConfigurationError} code `no_sqlite` if it is missing.
 */
export function loadSqlite(param: string, cure: string): Sqlite {
  const { emitWarning } = process;
  // Some versions of Node warn that SQLite is experimental, which the caller can do nothing about.
  process.emitWarning = () => {};
  try {
    const sqlite = process.getBuiltinModule("node:sqlite");
    if (sqlite !== undefined) return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
  throw new ConfigurationError(`node:sqlite is not available in ${process.version}. ${cure}`, {
    code: "no_sqlite",
    param,
  });
}

/** SQLite's result codes. */
export const sqliteErrors = {
  error: 1,
  busy: 5,
  locked: 6,
  io: 10,
  corrupt: 11,
  full: 13,
  notADatabase: 26,
  /** An extended code of `busy`. */
  busySnapshot: 517,
} as const;

/** The primary result code of an SQLite error; undefined for other errors. */
export function sqliteErrorOf(error: unknown): number | undefined {
  if (!(error instanceof Error && "errcode" in error)) return undefined;
  // The low byte is the primary code; the higher ones extend it.
  return Number(error.errcode) & 255;
}
