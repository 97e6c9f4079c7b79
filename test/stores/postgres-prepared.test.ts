import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PostgresStore, postgres } from "../../src/stores/postgres.ts";
import { sql } from "../../src/stores/store.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";

const server = await postgresServer();

describe.skipIf(server === undefined)("the prepared statements of a store on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let pool: pg.Pool;
  beforeEach(async () => {
    database = await createPostgresDatabase(server ?? "");
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });
  const read = (store: PostgresStore) => store.transaction(() => sql("SELECT $1 AS value", ["a"]));
  const prepared = async () =>
    (await pool.query("SELECT name FROM pg_prepared_statements")).rows as unknown;

  it("are used again by later transactions, even after a failure", async () => {
    const store = postgres(pool);
    await expect(store.transaction(() => sql("SELECT $1 FROM x", ["a"]))).rejects.toThrow();
    await read(store);
    await read(store);
    expect(await prepared()).toEqual([{ name: expect.stringMatching(/^settlekit_/) }]);
  });

  it("do not exist behind a pooler, not even for the first transaction", async () => {
    // A pooler does not name the server's process, which changes from transaction to transaction.
    pool.on("connect", (client) => Object.assign(client, { processID: 1 }));
    expect(await read(postgres(pool))).toEqual([{ value: "a" }]);
    expect(await prepared()).toEqual([]);
  });

  it("are no longer used once a connection has lost them", async () => {
    const store = postgres(pool);
    await read(store);
    await pool.query("DEALLOCATE ALL");
    await expect(read(store)).rejects.toThrow(/does not exist. See `cause`.$/);
    expect(await read(store)).toEqual([{ value: "a" }]);
    expect(await prepared()).toEqual([]);
  });
});
