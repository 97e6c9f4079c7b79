import { StoreError } from "../errors.ts";

/** A column's value or a statement's parameter. Times are whole milliseconds since 1970. */
export type SqlValue = string | number | null;

/** A result row, by column. */
export type Row = Record<string, SqlValue>;

/** A statement that works on both databases: see `sql`. */
interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** A step of a unit of work that gets the driver's own client, for the merchant's writes. */
interface Call<Client> {
  readonly run: (tx: Client) => unknown;
}

/**
 * A unit of work: a generator that yields its statements, so that the same code drives both databases. On SQLite it
 * runs without a pause, where an `await` would let other work join the transaction.
 */
export type Work<T, Client = unknown> = Generator<Statement | Call<Client>, T, unknown>;

/**
 * Runs a statement in a unit of work: `const rows = yield* sql("SELECT ...", [...])`.
 *
 * Both databases accept the text. `$1` is the first value, `{orders}` is settlekit's table of that name, `{now}` the
 * database's clock, `{serial}` the type of a generated key, and `{skip locked}` locks rows if the database can.
 * `{json each}($1)` has a row for each `value` of a JSON list, whose length thus does not change the statement. With
 * `{without index}` after a column, SQLite uses no index for it.
 */
export function* sql<R extends object = Row>(
  text: string,
  values: readonly SqlValue[] = [],
): Work<R[]> {
  return (yield { text, values }) as R[];
}

/** Runs the merchant's code in a unit of work, with the driver's own client. */
export function* call<Client>(run: (tx: Client) => unknown): Work<unknown, Client> {
  return yield { run };
}

/** Whether the merchant's code in a transaction must be synchronous, as on SQLite. */
export type StoreMode = "sync" | "async";

/** How long work may take, and the error with which it then fails. */
export interface Limit {
  readonly ms: number;
  readonly error: Error;
}

/** How a unit of work runs in its own transaction. */
export interface TransactionOptions {
  /** The channel to notify after the commit, in every process that can be reached. */
  readonly wake?: string;
  /**
   * Longer work is rolled back. Null if it may take as long as it needs; by default, PostgreSQL has two minutes. SQLite
   * ignores this, because nothing else runs during synchronous work.
   */
  readonly limit?: Limit | null;
}

/** A database in which the inbox and the payout ledger keep their rows. `Client` is the type of `tx`. */
export interface Store<Client = unknown, Mode extends StoreMode = StoreMode>
  extends AsyncDisposable {
  readonly mode: Mode;
  /** @internal */
  readonly dialect: Dialect;
  /**
   * Runs a unit of work in its own transaction.
   *
   * @internal
   */
  transaction<T>(work: () => Work<T, Client>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs a unit of work inside the merchant's open transaction, and leaves it open. On SQLite, the work is done, or has
   * thrown, when this returns.
   *
   * @internal
   */
  join<T>(tx: Client, work: () => Work<T, Client>): Mode extends "sync" ? T : Promise<T>;
  /**
   * Calls back when a transaction notifies the channel. Notifications can be missed, so poll as well. Returns a function
   * that unsubscribes.
   *
   * @internal
   */
  listen(channel: string, onWake: () => void): () => Promise<void>;
  /** Closes what the store itself opened: a database opened by path, or a listening connection. `await using` does, too. */
  close(): Promise<void>;
}

/** The few fragments in which the databases differ. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** The schema of settlekit's tables, on PostgreSQL. */
  readonly schema?: string;
  /** A statement's text for this database. */
  expand(text: string): string;
  /** Run before migrations, to serialise processes that migrate at the same time and to create the schema. */
  readonly beforeMigrations: readonly string[];
  /** Counts settlekit's tables named `$1`. */
  readonly tableCount: string;
}

/** The tables of one part of settlekit. Each migration is a list of statements, and never changes once released. */
export interface Component {
  readonly name: "inbox" | "payouts";
  readonly migrations: readonly (readonly string[])[];
}

const migrationTable = `CREATE TABLE IF NOT EXISTS {migrations} (
  component TEXT NOT NULL,
  version BIGINT NOT NULL,
  applied_at BIGINT NOT NULL,
  PRIMARY KEY (component, version)
)`;

const noteMigration =
  "INSERT INTO {migrations} (component, version, applied_at) VALUES ($1, $2, {now})";

/** How long a migration waits for a table at a time, in milliseconds: less than PostgreSQL's deadlock_timeout. */
const tableLockMs = 500;

/**
 * Brings a component's tables up to date, from any number of processes at once. Returns the number of migrations that
 * ran.
 *
 * @throws {StoreError} code `newer_schema` when a newer settlekit has migrated them.
 */
export async function migrate(store: Store, component: Component): Promise<number> {
  // Read first: a role that may not create a schema can still find that nothing is missing.
  const before = await store.transaction(() => versionOf(store.dialect, component));
  if (before === component.migrations.length) return 0;
  const isPostgres = store.dialect.name === "postgres";
  const work = function* () {
    for (const text of store.dialect.beforeMigrations) yield* sql(text);
    // Everything else that uses a table queues up behind a migration that waits for it, and may deadlock with it.
    if (isPostgres) yield* sql(`SET LOCAL lock_timeout TO ${tableLockMs}`);
    yield* sql(migrationTable);
    const version = yield* versionOf(store.dialect, component);
    const missing = component.migrations.slice(version);
    for (const [index, statements] of missing.entries()) {
      for (const text of statements) yield* sql(text);
      yield* sql(noteMigration, [component.name, version + index + 1]);
    }
    return missing.length;
  };
  for (;;) {
    try {
      return await store.transaction(work, { limit: null });
    } catch (error) {
      const isHeldUp = ["store_busy", "store_conflict"].includes(Object(error).code);
      if (!isPostgres || !isHeldUp) throw error;
      // Running programs get their turn.
      await new Promise((resolve) => setTimeout(resolve, tableLockMs));
    }
  }
}

/**
 * Refuses tables that are missing, older or newer than this settlekit.
 *
 * @throws {StoreError} code `not_migrated` or `newer_schema`.
 */
export async function requireMigrated(store: Store, component: Component): Promise<void> {
  const { name, migrations } = component;
  const { schema } = store.dialect;
  const version = await store.transaction(() => versionOf(store.dialect, component));
  if (version === 0) throw notMigrated(schema, name);
  if (version === migrations.length) return;
  throw new StoreError(
    `The database has version ${version} of the ${name} tables, and this version of settlekit needs ${migrations.length}. ` +
      `Call ${name}.migrate() once when you deploy, or run what \`${sqlCommand(schema, name)} --from ${version}\` prints.`,
    { code: "not_migrated" },
  );
}

/** The command that prints the tables. */
const sqlCommand = (schema: string | undefined, component: Component["name"]) =>
  `settlekit ${component} sql ${schema === undefined ? "--sqlite" : `--postgres --schema ${schema}`}`;

export function notMigrated(
  schema: string | undefined,
  component?: Component["name"],
  cause?: unknown,
): StoreError {
  const missing: readonly Component["name"][] = component ? [component] : ["inbox", "payouts"];
  const calls = missing.map((name) => `${name}.migrate()`).join(" or ");
  const commands = missing.map((name) => `\`${sqlCommand(schema, name)}\``).join(" or ");
  const place = schema === undefined ? "this database" : `the schema ${schema}`;
  const elsewhere = schema === undefined ? "" : " If they are in another schema, pass its name.";
  return new StoreError(
    `settlekit's tables are missing or out of date in ${place}. Call ${calls} once when you deploy, or run what ${commands} ` +
      `prints.${elsewhere}`,
    { code: "not_migrated", cause },
  );
}

/** The error for merchant's code that committed or rolled back the transaction it runs in. */
export function transactionEnded(): StoreError {
  return new StoreError(
    "An effect ended the transaction that it runs in. Remove its COMMIT or ROLLBACK, and throw to roll back.",
    { code: "transaction_ended" },
  );
}

function* versionOf(dialect: Dialect, { name, migrations }: Component): Work<number> {
  const [found] = yield* sql<{ count: number }>(dialect.tableCount, ["migrations"]);
  if (!found?.count) return 0;
  const [row] = yield* sql<{ version: number | null }>(
    "SELECT max(version) AS version FROM {migrations} WHERE component = $1",
    [name],
  );
  const version = row?.version ?? 0;
  if (version <= migrations.length) return version;
  throw new StoreError(
    `The database has version ${version} of the ${name} tables, and this version of settlekit supports up to ${migrations.length}. ` +
      "Update settlekit in this process: a newer version migrated the database.",
    { code: "newer_schema" },
  );
}

/** @param from The database's current version; 0 for none. */
export function migrationScript(
  dialect: Dialect,
  { name, migrations }: Component,
  from = 0,
): string {
  const lines = ["BEGIN;", ...dialect.beforeMigrations.map((text) => `${text};`)];
  lines.push(`${dialect.expand(migrationTable)};`);
  for (const [index, statements] of migrations.slice(from).entries()) {
    const version = from + index + 1;
    const noted = dialect.expand(noteMigration).replace(/[$?]1/, `'${name}'`);
    lines.push("", `-- ${name}, version ${version}`);
    lines.push(...statements.map((text) => `${dialect.expand(text)};`));
    lines.push(`${noted.replace(/[$?]2/, String(version))};`);
  }
  return [...lines, "", "COMMIT;", ""].join("\n");
}
