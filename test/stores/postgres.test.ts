import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgres } from "../../src/stores/postgres.ts";
import { call, migrate, sql } from "../../src/stores/store.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";

const orders = {
  name: "payouts" as const,
  migrations: [["CREATE TABLE {orders} (id TEXT PRIMARY KEY)"]],
};
const add = (id: string) => sql("INSERT INTO {orders} VALUES ($1)", [id]);

const server = await postgresServer();

describe.skipIf(server === undefined)("a store on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createPostgresDatabase(server ?? "");
    pool = new pg.Pool({ connectionString: database.url, max: 4 });
    await migrate(postgres(pool), orders);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  const count = async () =>
    Number((await pool.query("SELECT count(*) FROM settlekit.orders")).rows[0].count);

  it("keeps its tables in a schema of any plain name", async () => {
    const store = postgres(pool, { schema: "shop_events" });
    await migrate(store, orders);
    await store.transaction(() => add("a"));
    expect((await pool.query("SELECT * FROM shop_events.orders")).rows).toEqual([{ id: "a" }]);
    expect(() => postgres(pool, { schema: 'x"; DROP' })).toThrow(/must be a name of up to 48/);
  });

  it("refuses what is no pool", () => {
    expect(() => postgres({} as pg.Pool)).toThrow(/takes a Pool of pg/);
  });

  it("goes on without prepared statements where a pooler gives it connections that do not have them", async () => {
    const single = new pg.Pool({ connectionString: database.url, max: 1 });
    const store = postgres(single);
    await store.transaction(() => add("prepared"));
    const prepared = "SELECT name FROM pg_prepared_statements";
    expect((await single.query(prepared)).rows).toEqual([
      { name: expect.stringMatching(/^settlekit_/) },
    ]);
    // As on another connection, which the pooler put in the place of the first.
    await single.query("DEALLOCATE ALL");
    await expect(store.transaction(() => add("lost"))).rejects.toThrow(/does not exist/);
    await store.transaction(() => add("found"));
    expect((await single.query(prepared)).rows).toEqual([]);
    await pool.query("DELETE FROM settlekit.orders WHERE id IN ('prepared', 'found')");
    await single.end();
  });

  it("says that the pool has no free client instead of waiting without end", async () => {
    const small = new pg.Pool({ connectionString: database.url, max: 1 });
    const taken = await small.connect();
    const waiting = postgres(small, { connectTimeoutMs: 20 }).transaction(() => add("a"));
    await expect(waiting).rejects.toThrow(/All 1 clients of the pool were in use for 20 ms/);
    taken.release();
    // The client that came too late went back to the pool.
    await (await small.connect()).release();
    await small.end();
  });

  it("says that the server cannot be reached", async () => {
    const lost = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
    await expect(postgres(lost).transaction(() => add("a"))).rejects.toEqual(
      expect.objectContaining({ code: "store_unavailable" }),
    );
    await lost.end();
  });

  it("undoes the work when the connection dies in it, and goes on with a new one", async () => {
    const store = postgres(pool);
    const dying = store.transaction(function* () {
      yield* add("lost");
      const [own] = yield* sql("SELECT pg_backend_pid() AS pid");
      yield* call(() => pool.query("SELECT pg_terminate_backend($1)", [own?.pid]));
      yield* add("never");
    });
    await expect(dying).rejects.toEqual(expect.objectContaining({ code: "store_unavailable" }));
    expect(await count()).toBe(0);
    await store.transaction(() => add("a"));
    expect(await count()).toBe(1);
    await pool.query("DELETE FROM settlekit.orders");
  });

  it("does not take a transaction for committed that a caught error has undone", async () => {
    const store = postgres(pool);
    const failing = store.transaction(function* () {
      yield* add("a");
      yield* call<pg.PoolClient>((tx) => tx.query("SELECT 1/0").catch(() => {}));
    });
    await expect(failing).rejects.toThrow(/error was caught, so PostgreSQL undid/);
    expect(await count()).toBe(0);
  });

  it.each([
    ["off", "on"],
    ["local", "on"],
    ["remote_apply", "remote_apply"],
  ])("makes commits durable where the database's default is %s", async (usual, commits) => {
    const lax = new pg.Pool({
      connectionString: database.url,
      options: `-c synchronous_commit=${usual} -c default_transaction_isolation=serializable`,
    });
    const [row] = await postgres(lax).transaction(() =>
      sql(
        "SELECT current_setting('synchronous_commit') AS commits, current_setting('transaction_isolation') AS level",
      ),
    );
    expect(row).toEqual({ commits, level: "read committed" });
    await lax.end();
  });

  it("joins a transaction of the shop's, and rolls back with it", async () => {
    const store = postgres(pool);
    const client = await pool.connect();
    await client.query("BEGIN");
    await store.join(client, () => add("a"));
    await client.query("ROLLBACK");
    client.release();
    expect(await count()).toBe(0);
  });

  it("refuses to join a client without a transaction", async () => {
    const client = await pool.connect();
    await client.query("SELECT 1");
    await expect(postgres(pool).join(client, () => add("a"))).rejects.toThrow(
      /no open transaction/,
    );
    client.release();
  });

  it("listens again after its connection died", async () => {
    const store = postgres(pool);
    let woken = 0;
    let onWake = () => {};
    const listener = store.listen("inbox", () => {
      woken++;
      onWake();
    });
    const next = () => new Promise<void>((resolve) => (onWake = resolve));
    if (woken === 0) await next();
    const again = next();
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    await again;
    const news = next();
    await store.transaction(() => sql("SELECT 1"), { wake: "inbox" });
    await news;
    await listener.close();
  });
});
