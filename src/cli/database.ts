import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { integer } from "@optique/core/valueparser";
import { postgresDialect, sqliteDialect } from "../stores/dialects.ts";
import { postgres } from "../stores/postgres.ts";
import { sqlite } from "../stores/sqlite.ts";
import { type Component, migrationScript, type Store } from "../stores/store.ts";
import { show } from "../values.ts";
import { type Command, defineCommand, setting, toggle, type ValuesOf } from "./command.ts";
import { UsageError } from "./exit-codes.ts";
import { dotenv, path } from "./options.ts";
import type { Terminal } from "./terminal.ts";

const schema = setting(
  "--schema NAME",
  "The schema of the tables in PostgreSQL. Default: settlekit.",
).optional();

export const databaseOptions = {
  databaseUrl: setting(
    "--database-url URL",
    "A PostgreSQL database. Default: DATABASE_URL, which other users of the machine cannot see in the list of processes.",
  ).optional(),
  sqlite: setting("--sqlite PATH", "An SQLite file, instead of PostgreSQL.", path).optional(),
  schema,
  dotenv,
};

export interface DatabaseChoice extends ValuesOf<typeof databaseOptions> {
  /** Whether to create a missing SQLite file. By default it is refused, because its path may be misspelt. */
  readonly createsFile?: boolean;
}

/** Opens the database while `use` runs. */
export async function withStore<T>(
  { databaseUrl, sqlite: path, schema, createsFile }: DatabaseChoice,
  terminal: Terminal,
  use: (store: Store, isNewFile: boolean) => Promise<T>,
): Promise<T> {
  if (path !== undefined) {
    refuseBesideSqlite("--database-url", databaseUrl);
    refuseBesideSqlite("--schema", schema);
    // Absolute, because SQLite would take file:shop.db for a URL.
    const file = resolve(path);
    const isNewFile = !existsSync(file);
    // SQLite would create the file.
    if (isNewFile && !createsFile) {
      throw new UsageError(
        `There is no database ${show(path)}. Check --sqlite, or create it with migrate() in your program.`,
      );
    }
    const store = sqlite(file) as Store;
    return use(store, isNewFile).finally(() => store.close());
  }
  const connectionString = databaseUrl ?? process.env.DATABASE_URL;
  // pg would look for a host named "base".
  if (!connectionString || !/^(postgres(ql)?:|socket:|\/)/.test(connectionString)) {
    const fact = connectionString ? "The URL lacks postgres://" : "No database was given";
    throw new UsageError(`${fact}. Set DATABASE_URL, or pass --database-url or --sqlite.`);
  }
  terminal.conceal(connectionString);
  const { Client, Pool } = loadPg();
  try {
    // A pool reads the URL only when it connects.
    new Client({ connectionString });
  } catch (error) {
    const fact = `The URL of the database cannot be used: ${(error as Error).message}.`;
    throw new UsageError(`${fact} If its password has a / # or ?, write %2F %23 or %3F.`);
  }
  const pool = new Pool({ connectionString, max: 4 });
  const store = postgres(pool, { schema }) as Store;
  return use(store, false).finally(async () => {
    await store.close();
    // It waits for connections and transactions that a dead network never ends.
    await Promise.race([pool.end(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
  });
}

function refuseBesideSqlite(option: string, value: string | undefined): void {
  if (value !== undefined) throw new UsageError(`Pass --sqlite or ${option}, not both.`);
}

/** The project's own `pg`, which settlekit does not include. */
function loadPg(): typeof import("pg") {
  const load = createRequire(join(process.cwd(), "settlekit.js"));
  let fact = "The package pg is not installed here.";
  try {
    // Not every pg 8 exports its package.json; older ones never connect, and Node ends without a word.
    const { version } = load(join(load.resolve("pg"), "../../package.json"));
    if (Number.parseInt(version, 10) >= 8) return load("pg");
    fact = `The package pg ${version} is too old.`;
  } catch {}
  throw new UsageError(`${fact} Run \`npm install pg@8\`, or run this in the project that has it.`);
}

export function sqlCommand(component: Component): Command {
  const { name, migrations } = component;
  return defineCommand({
    name: `${name} sql`,
    brief: "Print the tables as SQL.",
    description:
      "Prints the SQL that migrate() runs, for projects that run migrations themselves. Without --from, it is for a new database.",
    examples: [`settlekit ${name} sql --postgres`, `settlekit ${name} sql --sqlite --from 1`],
    options: {
      forPostgres: toggle("--postgres", "For PostgreSQL."),
      forSqlite: toggle("--sqlite", "For SQLite."),
      schema,
      from: setting(
        "--from VERSION",
        "The version of the existing tables: only later migrations are printed. Default: 0, a new database.",
        integer({ min: 0, max: migrations.length }),
      ).withDefault(0),
    },
    async run({ forPostgres, forSqlite, schema, from }, terminal) {
      if (forPostgres === forSqlite) throw new UsageError("Pass --postgres or --sqlite.");
      if (forSqlite) refuseBesideSqlite("--schema", schema);
      const dialect = forPostgres ? postgresDialect(schema) : sqliteDialect();
      terminal.print(...migrationScript(dialect, component, from).trimEnd().split("\n"));
    },
  });
}
