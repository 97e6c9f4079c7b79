import { createRequire } from "node:module";
import { join } from "node:path";
import { object } from "@optique/core/constructs";
import { message } from "@optique/core/message";
import { postgres } from "../stores/postgres.ts";
import { sqlite } from "../stores/sqlite.ts";
import type { Store } from "../stores/store.ts";
import { UsageError } from "./exit-codes.ts";
import { dotenv, loadVariables, setting, word } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** The schema of settlekit's tables in PostgreSQL. */
export const schema = setting(
  "--schema",
  word("NAME"),
  message`The schema of the tables in PostgreSQL. Default: settlekit.`,
).optional();

/** Which database a command works on. */
export const databaseOptions = object({
  databaseUrl: setting(
    "--database-url",
    word("URL"),
    message`A PostgreSQL database. Default: DATABASE_URL, which other users of the machine do not see in the list of processes.`,
  ).optional(),
  sqlite: setting("--sqlite", word("PATH"), message`An SQLite file instead.`).optional(),
  schema,
  dotenv,
});

interface DatabaseOptions {
  readonly databaseUrl: string | undefined;
  readonly sqlite: string | undefined;
  readonly schema: string | undefined;
  readonly dotenv: string | undefined;
}

/** The part of `pg` that is used. */
interface Pg {
  readonly Pool: new (options: {
    connectionString: string;
    max: number;
  }) => Parameters<typeof postgres>[0] & { end(): Promise<void> };
}

/** Opens the database for as long as `use` takes. */
export async function withStore<T>(
  { databaseUrl, sqlite: path, schema, dotenv }: DatabaseOptions,
  terminal: Terminal,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  loadVariables(dotenv, terminal);
  if (path !== undefined) {
    const store = sqlite(path) as Store;
    return use(store).finally(() => store.close());
  }
  const connectionString = databaseUrl ?? process.env.DATABASE_URL;
  if (!connectionString) {
    throw new UsageError(
      "There is no database. Set DATABASE_URL, or pass --database-url or --sqlite.",
    );
  }
  terminal.conceal(connectionString);
  const { Pool } = loadPg();
  const pool = new Pool({ connectionString, max: 4 });
  const store = postgres(pool, { schema }) as Store;
  return use(store).finally(async () => {
    await store.close();
    await pool.end();
  });
}

/** The project's own `pg`, which settlekit does not bring along. */
function loadPg(): Pg {
  try {
    return createRequire(join(process.cwd(), "settlekit.js"))("pg");
  } catch {
    throw new UsageError(
      "The package pg is not installed here. Run `npm install pg`, or run this in the project that has it.",
    );
  }
}
