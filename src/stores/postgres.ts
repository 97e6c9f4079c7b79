/**
 * The inbox and the payout ledger on PostgreSQL, with the merchant's own pool of `pg`.
 *
 * @module settlekit/postgres
 */
import { StoreError } from "../errors.ts";
import { checkOptionNames, invalidOption, show } from "../values.ts";
import { postgresDialect } from "./dialects.ts";
import { PostgresListener } from "./postgres-listener.ts";
import {
  answerLimit,
  connectWithin,
  inspect,
  isReadOnly,
  isUnprepared,
  own,
  type PostgresClient,
  type PostgresPool,
  surviveLostConnections,
  transactionFailed,
  types,
  type Usage,
  within,
} from "./postgres-pool.ts";
import {
  type Row,
  type Store,
  type TransactionOptions,
  transactionEnded,
  type Work,
} from "./store.ts";
import { checkWhole } from "./worker.ts";

export { StoreError } from "../errors.ts";
export type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
} from "./postgres-pool.ts";
export type { Store, StoreMode } from "./store.ts";

/** The options of `postgres`. */
export interface PostgresOptions {
  /**
   * The schema of settlekit's tables.
   *
   * @defaultValue "settlekit"
   */
  readonly schema?: string | undefined;
  /**
   * How long to wait for a free client of the pool, in milliseconds.
   *
   * @defaultValue 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * The clock: an SQL expression for milliseconds since 1970. For tests, such as `(SELECT ms FROM test_clock)`.
   * Default: the database's clock.
   */
  readonly clock?: string | undefined;
}

/** The inbox or the payout ledger on PostgreSQL; `tx` is a client of the pool inside an open transaction. */
export type PostgresStore<Client extends PostgresClient = PostgresClient> = Store<Client, "async">;

/**
 * Keeps the rows in a PostgreSQL database, version 14 or later, through the merchant's own pool. Any number of
 * processes may share the database.
 *
 * The pool needs a client for each effect that runs at the same time, and one to listen for notifications from other
 * processes.
 *
 * @throws {ConfigurationError} when `pool` is not a pool, or the schema's name would need quotes.
 * @example
 * ```ts
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
 * const store = postgres(pool);
 * await pool.end();
 * ```
 */
export function postgres<Client extends PostgresClient>(
  pool: PostgresPool<Client>,
  options: PostgresOptions = {},
): PostgresStore<Client> {
  checkOptionNames(options, ["schema", "connectTimeoutMs", "clock"]);
  const { connectTimeoutMs = 10_000 } = options;
  checkPool(pool);
  checkWhole("connectTimeoutMs", connectTimeoutMs, 1);
  const dialect = postgresDialect(options.schema, options.clock);
  const { schema } = dialect;
  const connect = () => connectWithin(pool, connectTimeoutMs);
  surviveLostConnections(pool);
  const listener = new PostgresListener(connect, schema);
  const close = () => listener.close();

  // Unknown before the first transaction of its own.
  let usage: Usage | undefined;

  async function execute(client: Client, text: string, values: readonly unknown[]): Promise<Row[]> {
    const expanded = dialect.expand(text);
    // Statements without values, such as those of a migration, gain little from it.
    const name = usage?.canPrepare && values.length > 0 ? { name: nameOf(expanded) } : undefined;
    const query = { ...name, text: expanded, values: [...values], types };
    const running = client.query(query).catch((error: unknown) => {
      if (usage && isUnprepared(error)) usage = { ...usage, canPrepare: false };
      throw error;
    });
    return (await own(running, schema)).rows as Row[];
  }

  async function drive<T>(client: Client, work: Work<T, Client>): Promise<T> {
    let step = work.next();
    while (!step.done) {
      let result: unknown;
      try {
        const { value } = step;
        result = await ("run" in value
          ? runInside(client, value.run)
          : execute(client, value.text, value.values));
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(result);
    }
    return step.value;
  }

  async function transaction<T>(
    work: () => Work<T, Client>,
    options: TransactionOptions = {},
    isSecond = false,
  ): Promise<T> {
    const { wake, limit } = options;
    const client = await connect();
    // A connection made before this store may die between two statements; the next statement then fails.
    const onError = () => {};
    client.on("error", onError);
    let hasBegun = false;
    let isBroken = true;
    const run = async () => {
      usage ??= await inspect(client);
      // PostgreSQL notices a closed connection only after the statement ends.
      const limited = limit ? `; SET LOCAL statement_timeout TO ${limit.ms}` : "";
      await own(client.query({ text: usage.begin + limited }));
      hasBegun = true;
      try {
        const result = await within(limit, drive(client, work()));
        const notify = wake === undefined ? "" : `NOTIFY "${schema}", '${wake}'; `;
        const committed = await own(client.query({ text: `${notify}COMMIT` }));
        const { command } = [committed].flat().at(-1) ?? {};
        isBroken = false;
        if (command === "ROLLBACK") throw transactionFailed();
        return result;
      } catch (error) {
        // Work that ran into the limit still uses the client, so another transaction must not get it.
        if (isBroken && error !== limit?.error) {
          const rolledBack = await client.query({ text: "ROLLBACK" }).catch(() => undefined);
          isBroken = rolledBack === undefined || isReadOnly(error);
        }
        throw error;
      }
    };
    try {
      return await within(limit === null ? null : answerLimit, run());
    } catch (error) {
      // The connection may have died in the pool while the process was suspended. Only a time limit has no cause.
      if (hasBegun || isSecond || Object(error).cause === undefined) throw error;
    } finally {
      client.removeListener("error", onError);
      client.release(isBroken);
    }
    return transaction(work, options, true);
  }

  return {
    mode: "async",
    dialect,
    transaction: (work, options) => transaction(work, options),
    async join(tx, work) {
      requireTransaction(tx);
      return drive(tx, work());
    },
    // A pool's only client cannot be reserved for listening: such a store only polls.
    listen: (channel, onWake) =>
      pool.options?.max === 1 ? async () => {} : listener.add(channel, onWake),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Derived from the text: behind a pooler, a connection may hold statements that another process prepared. */
function nameOf(text: string): string {
  const { hash } = process.getBuiltinModule("node:crypto");
  return `settlekit_${hash("sha256", text).slice(0, 32)}`;
}

function checkPool(pool: unknown): void {
  if (typeof Object(pool).connect !== "function") {
    throw invalidOption(
      "pool",
      `postgres() takes a Pool from the package pg, got ${show(pool)}. With another driver or an ORM, create one beside it: ` +
        "new pg.Pool({ connectionString }).",
    );
  }
}

/** Refuses a client without an open transaction, as far as that can be detected. */
function requireTransaction(tx: PostgresClient): void {
  const { query, on, totalCount } = Object(tx);
  const refuse = (message: string) => new StoreError(message, { code: "no_transaction" });
  // Transactions of some ORMs have a `query` of their own.
  if (typeof query !== "function" || typeof on !== "function") {
    throw refuse(
      `\`tx\` must be a client of pg with an open transaction, got ${show(tx)}. Without one, leave \`tx\` out, once your own ` +
        "transaction has committed.",
    );
  }
  if (totalCount !== undefined) {
    throw refuse(
      "`tx` is a pool, which would run the statements outside of your transaction. Pass the client that you ran BEGIN on: " +
        "`const client = await pool.connect()`.",
    );
  }
  if (tx.getTransactionStatus?.() === "I") {
    throw refuse("`tx` has no open transaction. Run BEGIN on it first, or leave `tx` out.");
  }
}

/** Runs the merchant's code, which must leave the transaction open. */
async function runInside<Client extends PostgresClient>(
  client: Client,
  run: (tx: Client) => unknown,
): Promise<unknown> {
  const result = await run(client);
  if (client.getTransactionStatus?.() !== "I") return result;
  throw transactionEnded();
}
