import { EventEmitter } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
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
    // Each store listens for its errors.
    pool.setMaxListeners(0);
    pool.on("connect", (client) => client.setMaxListeners(0));
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

  it("refuses anything but a pool", () => {
    expect(() => postgres({} as pg.Pool)).toThrow(
      /takes a Pool from the package pg, got an object/,
    );
  });

  it.each(["abc", -1, 0, Number.NaN, 2 ** 31])("refuses the time limit %o", (limit) => {
    expect(() => postgres(pool, { connectTimeoutMs: limit as number })).toThrow(
      expect.objectContaining({ code: "invalid_option", param: "connectTimeoutMs" }),
    );
  });

  it("tells the shop to run a conflicting transaction again", async () => {
    const store = postgres(pool);
    await store.transaction(() => add("contended"));
    const client = await pool.connect();
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await client.query("SELECT 1");
    const update = () => sql("UPDATE {orders} SET id = id");
    await store.transaction(update);
    await expect(store.join(client, update)).rejects.toMatchObject({
      code: "store_conflict",
      cause: { code: "40001" },
    });
    await client.query("ROLLBACK");
    client.release();
    await pool.query("DELETE FROM settlekit.orders");
  });

  it("rolls back when its connection dies, and continues on a new one", async () => {
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

  it("reconnects after a failover made its server a replica, and reports that", async () => {
    const single = new pg.Pool({ connectionString: database.url, max: 1 });
    const store = postgres(single);
    await single.query("SET default_transaction_read_only TO on");
    await expect(store.transaction(() => add("lost"))).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/read-only here.*Connect to the primary/),
    });
    await store.transaction(() => add("written"));
    expect(await count()).toBe(1);
    await pool.query("DELETE FROM settlekit.orders");
    await single.end();
  });

  it("does not treat a transaction as committed that a caught error rolled back", async () => {
    const store = postgres(pool);
    const fail = () => call<pg.PoolClient>((tx) => tx.query("SELECT 1/0").catch(() => {}));
    for (const works of [
      [() => add("a"), fail],
      [fail, () => add("a")],
    ]) {
      const failing = store.transaction(function* () {
        for (const work of works) yield* work();
      });
      await expect(failing).rejects.toThrow(/error was caught, so PostgreSQL rolled back/);
    }
    expect(await count()).toBe(0);
  });

  it.each([
    ["off", "on"],
    ["local", "on"],
    ["remote_apply", "remote_apply"],
  ])("makes commits durable if the database's default is %s", async (usual, commits) => {
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

  it("joins the shop's transaction, and rolls back with it", async () => {
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

  it.each([
    ["null", () => null, /must be a client of pg with an open transaction, got null/],
    [
      "another object",
      () => ({}),
      /must be a client of pg with an open transaction, got an object/,
    ],
    [
      "an ORM's transaction, which has a query of its own",
      () =>
        new (class EntityManager {
          async query() {
            return [];
          }
        })(),
      /got an EntityManager\. Without one, leave `tx` out, once your own transaction has committed\./,
    ],
    ["a query builder's transaction, which has events", () => new EventEmitter(), /EventEmitter\./],
    ["a pool", () => pool, /is a pool.*Pass the client that you ran BEGIN on/],
  ])("refuses to join %s", async (_, tx, message) => {
    const joining = postgres(pool).join(tx() as unknown as pg.PoolClient, () => add("a"));
    await expect(joining).rejects.toThrow(
      expect.objectContaining({ code: "no_transaction", message: expect.stringMatching(message) }),
    );
    expect(await count()).toBe(0);
  });

  describe("with time limits", () => {
    const settings = () =>
      sql(`SELECT current_setting('idle_in_transaction_session_timeout') AS idle,
  current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement`);

    it("ends the transaction of a suspended process, and long waits for a lock", async () => {
      const inIt = await postgres(pool).transaction(settings);
      expect(inIt).toEqual([{ idle: "35s", lock: "10s", statement: "0" }]);
    });

    it("leaves the settings of the shop's own transactions alone", async () => {
      const client = await pool.connect();
      await client.query("BEGIN");
      const [own] = await postgres(pool).join(client, settings);
      await client.query("ROLLBACK");
      client.release();
      expect(own).toEqual({ idle: "0", lock: "0", statement: "0" });
    });

    it("lets a migration take as long as it needs, but waits only briefly for each table", async () => {
      const limited = new pg.Pool({ connectionString: database.url, statement_timeout: 5_000 });
      const store = postgres(limited, { schema: "patient" });
      const text = `CREATE TABLE {waits} AS SELECT current_setting('lock_timeout') AS lock,
  current_setting('statement_timeout') AS statement`;
      await migrate(store, { name: "payouts", migrations: [[text]] });
      expect((await limited.query("SELECT * FROM patient.waits")).rows).toEqual([
        { lock: "500ms", statement: "0" },
      ]);
      expect((await limited.query("SHOW statement_timeout")).rows).toEqual([
        { statement_timeout: "5s" },
      ]);
      await limited.end();
    });

    it("reports a lock that is not released in time", async () => {
      const store = postgres(pool);
      await store.transaction(() => add("locked"));
      const client = await pool.connect();
      await client.query("BEGIN");
      await client.query("SELECT * FROM settlekit.orders FOR UPDATE");
      const waiting = store.transaction(function* () {
        yield* call<pg.PoolClient>((tx) => tx.query("SET LOCAL lock_timeout TO 20"));
        yield* sql("UPDATE {orders} SET id = 'b'");
      });
      await expect(waiting).rejects.toThrow(
        expect.objectContaining({
          code: "store_busy",
          message: expect.stringMatching(/longer than 10 s.*pg_stat_activity/),
        }),
      );
      await client.query("ROLLBACK");
      client.release();
      await pool.query("DELETE FROM settlekit.orders");
    });

    it("rolls back work that exceeds its limit, and closes its connection", async () => {
      const store = postgres(pool);
      const error = new Error("too long");
      const entered = Promise.withResolvers<pg.PoolClient>();
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const work = store.transaction(
        function* () {
          yield* add("a");
          yield* call<pg.PoolClient>((tx) => {
            entered.resolve(tx);
            return new Promise(() => {});
          });
        },
        { limit: { ms: 20_000, error } },
      );
      const hanging = await entered.promise;
      vi.advanceTimersByTime(20_000);
      vi.useRealTimers();
      await expect(work).rejects.toBe(error);
      // It must not run in the next transaction on this connection.
      await expect(hanging.query("SELECT 1")).rejects.toThrow();
      expect(await count()).toBe(0);
    });

    it("also ends a statement that exceeds the limit on the server", async () => {
      const store = postgres(pool);
      const error = new Error("too long");
      const work = store.transaction(
        function* () {
          yield* add("a");
          yield* call<pg.PoolClient>((tx) => tx.query("SELECT pg_sleep(3600)"));
        },
        { limit: { ms: 20, error } },
      );
      await expect(work).rejects.toThrow();
      // Would wait for the transaction that added the same row, if that were still open.
      await store.transaction(() => add("a"));
      await pool.query("DELETE FROM settlekit.orders");
    });
  });

  it("listens again after its connection died", async () => {
    const store = postgres(pool);
    let woken = 0;
    let onWake = () => {};
    const unsubscribe = store.listen("inbox", () => {
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
    await unsubscribe();
  });
});
