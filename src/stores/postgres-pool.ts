import { StoreError } from "../errors.ts";
import { type Limit, notMigrated } from "./store.ts";

/** A statement as `pg` takes it. */
export interface PostgresQuery {
  /** The name of the prepared statement on the connection. */
  name?: string;
  text: string;
  values?: unknown[];
  types?: {
    /** Returns the parser for a column's text. */
    getTypeParser(oid: number): (value: string) => unknown;
  };
}

/** The part of `pg`'s result that is used. */
export interface PostgresResult {
  command?: string;
  rows: unknown[];
}

/** The part of `pg`'s `PoolClient` that is used. */
export interface PostgresClient {
  /** Runs a statement. */
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** Called when the connection dies. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Called on NOTIFY. */
  on(event: "notification", listener: (message: { payload?: string | undefined }) => void): unknown;
  /** Since version 8.18: `T` inside a transaction. */
  getTransactionStatus?(): string | null;
  /** Removes a listener. */
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  /** Returns the client to its pool, or closes its connection. */
  release(destroy?: boolean): void;
}

/** The part of `pg`'s `Pool` that is used. */
export interface PostgresPool<Client extends PostgresClient = PostgresClient> {
  /** A free client, as soon as there is one. */
  connect(): Promise<Client>;
  // Two signatures, as pg has them: TypeScript infers `Client` from neither of them alone.
  /** The same with a callback. */
  connect(callback: (...parameters: never[]) => void): void;
  /** Called when an idle connection dies. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /**
   * Called when a connection was made.
   *
   * @internal
   */
  on?(event: "connect", listener: (client: PostgresClient) => void): unknown;
  readonly options?: { readonly max?: number | undefined };
  readonly totalCount?: number;
}

/** Pools may serve many stores, such as one for each schema. */
const surviving = new WeakSet<PostgresPool>();

/** Keeps a dying connection from ending the process, as an `error` event without a listener would. */
export function surviveLostConnections(pool: PostgresPool): void {
  if (surviving.has(pool)) return;
  surviving.add(pool);
  const ignore = () => {};
  pool.on?.("error", ignore);
  // The pool does not listen to a new connection that it hands out, and its user does so only once the promise has
  // resolved: the server may have closed it by then.
  pool.on?.("connect", (client) => client.on("error", ignore));
}

/** A client of the pool, or an error that says why none was free in time. */
export async function connectWithin<Client extends PostgresClient>(
  pool: PostgresPool<Client>,
  limitMs: number,
): Promise<Client> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const startedAt = performance.now();
  const timer = setTimeout(() => reject(noFreeClient(pool, limitMs)), limitMs);
  const connecting = pool.connect();
  try {
    return await own(Promise.race([connecting, late]));
  } catch (error) {
    // A client that arrives too late goes straight back.
    connecting.then((client) => client.release()).catch(() => {});
    // The pool's own limit, `connectionTimeoutMillis`, was shorter. It has no code.
    const isPoolsLimit = /^timeout exceeded/.test(String(Object(Object(error).cause).message));
    throw isPoolsLimit ? noFreeClient(pool, Math.round(performance.now() - startedAt)) : error;
  } finally {
    clearTimeout(timer);
  }
}

function noFreeClient(
  { options, totalCount }: Pick<PostgresPool, "options" | "totalCount">,
  limitMs: number,
) {
  const isFull = totalCount !== undefined && totalCount >= (options?.max ?? 10);
  return isFull
    ? new StoreError(
        `All ${totalCount} clients of the pool were in use for ${limitMs} ms. Raise the pool's max above the worker's ` +
          "concurrency, and look for clients that are never released.",
        { code: "no_free_client" },
      )
    : new StoreError(
        `The database did not accept a connection within ${limitMs} ms. Check that it is running and reachable.`,
        { code: "store_unavailable" },
      );
}

/** The work's result, or the limit's error if it takes longer. */
export async function within<T>(limit: Limit | null | undefined, work: Promise<T>): Promise<T> {
  if (!limit) return work;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(limit.error), limit.ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long the database may take for a whole transaction, in milliseconds. */
const answerLimitMs = 120_000;

/** Nothing else ends a transaction on a dead connection that neither side has closed. */
export const answerLimit: Limit = {
  ms: answerLimitMs,
  get error() {
    return new StoreError(
      `PostgreSQL did not finish a transaction within ${answerLimitMs / 1_000} s, so its connection was closed. Check the ` +
        "network, and look for slow statements.",
      { code: "store_unavailable" },
    );
  },
};

/** The SQL state of a write to a replica, or in a transaction that may only read. */
const readOnly = "25006";

/** Whether the server has become a replica. The pool would otherwise keep its connections to it. */
export function isReadOnly(error: unknown): boolean {
  return Object(Object(error).cause).code === readOnly;
}

/** Whether a pooler switched to a connection with other prepared statements. */
export function isUnprepared(error: unknown): boolean {
  const { code } = Object(error);
  // The name does not exist, or already exists.
  return code === "26000" || code === "42P05";
}

/** How long a statement waits for another transaction's lock, in milliseconds. */
const lockLimitMs = 10_000;

/** Numbers where `pg` returns text by default, whatever parsers the merchant has set. */
export const types = {
  getTypeParser: (oid: number) => (value: string) => {
    if (oid === 20 || oid === 21 || oid === 23 || oid === 1700) return Number(value);
    if (oid === 16) return value === "t" ? 1 : 0;
    return value;
  },
};

/**
 * How long a transaction may be idle, in milliseconds. Only a suspended process stays idle that long, because the inbox
 * limits effects to less. Until then, others wait for its locks.
 */
const idleLimitMs = 35_000;

/** How the pool's connections are used, which the first one shows. */
export interface Usage {
  /**
   * Begins with the isolation level that the statements need, with commits that survive a crash and with lock limits,
   * whatever the database's defaults. Set per transaction, because others use the pool's connections too.
   */
  readonly begin: string;
  /** Whether to prepare statements once per connection, because planning takes longer than running. */
  readonly canPrepare: boolean;
}

export async function inspect(client: PostgresClient): Promise<Usage> {
  const text =
    "SELECT pg_backend_pid() AS pid, current_setting('synchronous_commit') AS synchronous_commit";
  const { rows } = await own(client.query({ text, types }));
  const { pid, synchronous_commit: usual } = rows[0] as { pid: number; synchronous_commit: string };
  const isDurable = usual !== "off" && usual !== "local";
  const begin = [
    "BEGIN ISOLATION LEVEL READ COMMITTED",
    `SET LOCAL synchronous_commit TO ${isDurable ? usual : "on"}`,
    `SET LOCAL idle_in_transaction_session_timeout TO ${idleLimitMs}`,
    `SET LOCAL lock_timeout TO ${lockLimitMs}`,
  ].join("; ");
  // A pooler names a process of its own. It may switch to another connection, on which nothing is prepared.
  const { processID = pid } = Object(client);
  return { begin, canPrepare: processID === pid };
}

/** Waits for settlekit's own SQL, and translates its failures. `schema` is that of its tables. */
export async function own<T>(query: Promise<T>, schema?: string): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw explained(error, schema);
  }
}

/** The cure for SQL states, or for their first two characters. */
const cures: Readonly<Record<string, string>> = {
  // An unknown role, a wrong password, or an unknown database.
  "28": "Check the pool's connection string.",
  "3D": "Check the pool's connection string.",
  "53300": "Lower the `max` of the pools that use this server, or raise the limit of connections.",
  "57014": "Find out what slows the database down, or raise statement_timeout.",
};

function explained(cause: unknown, schema?: string): unknown {
  if (!(cause instanceof Error) || StoreError.is(cause)) return cause;
  const code = "code" in cause ? String(cause.code) : "";
  // An unknown table, column or schema.
  if (["42P01", "42703", "3F000"].includes(code)) return notMigrated(schema, undefined, cause);
  if (code === "25P02") return transactionFailed(cause);
  if (code === "42501") return notPermitted(cause, schema);
  if (code === readOnly) {
    return new StoreError(
      `PostgreSQL is read-only here: ${cause.message}. Connect to the primary server, with a role and a transaction that may ` +
        "write. After a failover, new connections find the new primary.",
      { code: "store_unavailable", cause },
    );
  }
  if (code === "55P03") {
    return new StoreError(
      `Another transaction held its locks for longer than ${lockLimitMs / 1_000} s. Keep transactions short, and check ` +
        "pg_stat_activity for one that was left open.",
      { code: "store_busy", cause },
    );
  }
  // Serialization failures and deadlocks.
  if (code === "40001" || code === "40P01") {
    return new StoreError(
      `PostgreSQL rolled back the transaction because of another one: ${cause.message}. Run your whole transaction again.`,
      { code: "store_conflict", cause },
    );
  }
  // An AggregateError, for a host with several addresses, has no message.
  const message = cause.message || code;
  // SQL states have five characters; connection failures have the platform's codes, or none.
  const isState = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("57P") && !code.startsWith("08");
  const cure = cures[code] ?? cures[code.slice(0, 2)] ?? "See `cause`.";
  // Too few connections, or too little memory, disk space or time: later, the same work may succeed.
  const mayPass = code.startsWith("53") || code === "57014";
  const failed = mayPass ? "store_unavailable" : "store_failed";
  return isState
    ? new StoreError(`PostgreSQL failed: ${message}. ${cure}`, { code: failed, cause })
    : new StoreError(
        `The connection to PostgreSQL failed: ${message}. Check that it is running and reachable.`,
        { code: "store_unavailable", cause },
      );
}

export function transactionFailed(cause?: unknown): StoreError {
  return new StoreError(
    "An earlier statement of the transaction failed and its error was caught, so PostgreSQL rolled back the whole " +
      "transaction. Rethrow the error, or use a savepoint.",
    { code: "transaction_failed", cause },
  );
}

/** The cure for each kind of object that PostgreSQL can name in a refusal. */
const missingGrants: Readonly<Record<string, (name: string, schema?: string) => string>> = {
  database: (name) =>
    `Run GRANT CREATE ON DATABASE ${name} for this role, or create the schema for it with CREATE SCHEMA ... AUTHORIZATION.`,
  schema: (name) =>
    `Run GRANT USAGE ON SCHEMA ${name} for this role, and GRANT USAGE, CREATE for the one that migrates.`,
  table: (_, schema) =>
    `Run GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} for this role. Migrate as the role that ` +
    "owns them.",
};

function notPermitted(cause: Error, schema?: string): StoreError {
  const [, kind = "", name = ""] =
    /\b(database|schema|table) "?([^" ]+)"?$/.exec(cause.message) ?? [];
  const cure =
    missingGrants[kind]?.(name, schema) ??
    "Grant this role the privileges of the role that migrated.";
  return new StoreError(`PostgreSQL refused the statement: ${cause.message}. ${cure}`, {
    code: "permission_denied",
    cause,
  });
}
