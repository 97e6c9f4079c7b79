import { StoreError } from "../errors.ts";
import { notMigrated } from "./store.ts";

/** A statement as `pg` takes it. */
export interface PostgresQuery {
  /** The name under which the connection keeps it prepared. */
  name?: string;
  text: string;
  values?: unknown[];
  types?: {
    /** What makes a value of a column's text. */
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
  /** Tells that the connection died. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Tells of a NOTIFY. */
  on(event: "notification", listener: (message: { payload?: string | undefined }) => void): unknown;
  /** From version 8.18 on: `T` inside a transaction. */
  getTransactionStatus?(): string | null;
  /** Ends `on`. */
  removeListener(event: "error", listener: (error: Error) => void): unknown;
  /** Gives the client back to its pool, or closes its connection. */
  release(destroy?: boolean): void;
}

/** The part of `pg`'s `Pool` that is used. */
export interface PostgresPool<Client extends PostgresClient = PostgresClient> {
  /** A client that is free, once there is one. */
  connect(): Promise<Client>;
  // Two signatures, as pg has them: TypeScript infers `Client` from neither of them alone.
  /** The same with a callback. */
  connect(callback: (...parameters: never[]) => void): void;
  /** Tells that a connection died while it was free. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  readonly options?: { readonly max?: number | undefined };
  readonly totalCount?: number;
}

/** A client of the pool, or an error that says why there is none in time. */
export async function connectWithin<Client extends PostgresClient>(
  pool: PostgresPool<Client>,
  limitMs: number,
): Promise<Client> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(noFreeClient(pool, limitMs)), limitMs);
  const connecting = pool.connect();
  try {
    return await own(Promise.race([connecting, late]));
  } catch (error) {
    // A client that comes too late goes back at once.
    connecting.then((client) => client.release()).catch(() => {});
    throw error;
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
        `The database did not accept a connection within ${limitMs} ms. Check that it runs and can be reached.`,
        { code: "store_unavailable" },
      );
}

/** Waits for settlekit's own SQL, and says what its failure means. */
export async function own<T>(query: Promise<T>): Promise<T> {
  try {
    return await query;
  } catch (error) {
    throw explained(error);
  }
}

function explained(cause: unknown): unknown {
  if (!(cause instanceof Error) || StoreError.is(cause)) return cause;
  const code = "code" in cause ? String(cause.code) : "";
  // An unknown table, column or schema.
  if (["42P01", "42703", "3F000"].includes(code)) return notMigrated(undefined, cause);
  if (code === "25P02") return transactionFailed(cause);
  // SQL states of this class are five characters; connections fail with the platform's names, or with none.
  const isState = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("57P") && !code.startsWith("08");
  return isState
    ? new StoreError(`PostgreSQL failed: ${cause.message}. See \`cause\`.`, {
        code: "store_failed",
        cause,
      })
    : new StoreError(
        `The connection to PostgreSQL failed: ${cause.message}. Check that it runs and can be reached.`,
        { code: "store_unavailable", cause },
      );
}

export function transactionFailed(cause?: unknown): StoreError {
  return new StoreError(
    "A statement of an effect failed and its error was caught, so PostgreSQL undid the whole transaction. Let the " +
      "error through, or use a savepoint.",
    { code: "transaction_failed", cause },
  );
}
