import { DatabaseSync } from "node:sqlite";
import { expect, it, vi } from "vitest";
import { sqlite } from "../../src/stores/sqlite.ts";
import { call, migrate, sql } from "../../src/stores/store.ts";
import { openSqlite } from "../databases.ts";

const orders = {
  name: "payouts" as const,
  migrations: [["CREATE TABLE {orders} (id TEXT PRIMARY KEY)"]],
};
const add = (id: string) => sql("INSERT INTO {orders} VALUES ($1)", [id]);
const count = (db: DatabaseSync) =>
  db.prepare("SELECT count(*) AS n FROM settlekit_orders").get()?.n;

it("opens a database so that commits survive a power cut", async () => {
  const store = sqlite(":memory:", { busyTimeoutMs: 50 });
  const pragmas = await store.transaction(() => sql("PRAGMA synchronous"));
  expect(pragmas).toEqual([{ synchronous: 2 }]);
  await store.close();
});

it("is closed at the end of a block by `await using`", async () => {
  const open = async () => {
    await using store = sqlite(":memory:");
    return store;
  };
  const closed = await open();
  await expect(closed.transaction(() => add("a"))).rejects.toThrow("database is not open");
});

it("uses a database that the shop has opened, and leaves it open", async () => {
  const db = new DatabaseSync(":memory:");
  const store = sqlite(db);
  await migrate(store, orders);
  await store.transaction(() => add("a"));
  await store.close();
  expect(count(db)).toBe(1);
});

it.each(["readBigInts", "returnArrays"])(
  "reads its own rows as usual in a database opened with %s",
  async (option) => {
    const db = new DatabaseSync(":memory:", { [option]: true });
    const store = sqlite(db);
    await migrate(store, orders);
    expect(await migrate(store, orders)).toBe(0);
    const rows = await store.transaction(() => sql("SELECT count(*) AS n FROM {orders}"));
    expect(rows).toEqual([{ n: 0 }]);
  },
);

it("refuses an open database whose commits a power cut could undo", () => {
  const db = new DatabaseSync(":memory:");
  db.exec("PRAGMA synchronous = NORMAL");
  expect(() => sqlite(db)).toThrow(/synchronous mode is below FULL.*PRAGMA synchronous = FULL/);
});

it("refuses anything but a path or a DatabaseSync", () => {
  expect(() => sqlite({} as DatabaseSync)).toThrow(/takes a path or a DatabaseSync/);
  class Database {
    prepare() {}
    exec() {}
  }
  expect(() => sqlite(new Database() as never)).toThrow(
    /a path or a DatabaseSync from node:sqlite, got a Database/,
  );
  expect(() => sqlite("/nowhere/shop.db")).toThrow(/"\/nowhere\/shop.db" cannot be opened/);
});

it.each(["soon", -1, Number.NaN, 0.5, 2 ** 31])("refuses the busy timeout %o", (busyTimeoutMs) => {
  expect(() => sqlite(":memory:", { busyTimeoutMs: busyTimeoutMs as number })).toThrow(
    expect.objectContaining({ code: "invalid_option", param: "busyTimeoutMs" }),
  );
});

it("names the Node version that has SQLite if this one does not", () => {
  const spy = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
  expect(() => sqlite("shop.db")).toThrow(/node:sqlite is not available.*Use Node 22.13/);
  spy.mockRestore();
});

it("refuses an effect that returns a promise, and rolls back its writes", async () => {
  const db = new DatabaseSync(":memory:");
  const store = sqlite(db);
  await migrate(store, orders);
  const failing = store.transaction(function* () {
    yield* call<DatabaseSync>(async (tx) => {
      tx.exec("INSERT INTO settlekit_orders VALUES ('a')");
      await null;
      throw new Error("rejected later, which must not end the process");
    });
  });
  await expect(failing).rejects.toThrow(/returned a promise. Make it synchronous/);
  expect(count(db)).toBe(0);
});

it("joins the shop's open transaction synchronously, and rolls back with it", async () => {
  const db = new DatabaseSync(":memory:");
  const store = sqlite(db);
  await migrate(store, orders);
  db.exec("BEGIN IMMEDIATE");
  store.join(db, () => add("a"));
  expect(count(db)).toBe(1);
  db.exec("ROLLBACK");
  expect(count(db)).toBe(0);
  expect(() => store.join(db, () => add("a"))).toThrow(/no open transaction/);
  expect(() => store.join(new DatabaseSync(":memory:"), () => add("a"))).toThrow(
    /not the database/,
  );
});

it("knows whether a transaction is open where Node does not tell, before version 22.16", async () => {
  const db = new Proxy(new DatabaseSync(":memory:"), {
    get(database, name) {
      if (name === "isTransaction") return undefined;
      const value: unknown = Reflect.get(database, name);
      return typeof value === "function" ? value.bind(database) : value;
    },
  });
  const store = sqlite(db);
  await migrate(store, orders);
  expect(() => store.join(db, () => add("a"))).toThrow(/no open transaction/);
  const failing = store.transaction(function* () {
    yield* add("a");
    throw new Error("no more");
  });
  await expect(failing).rejects.toThrow("no more");
  db.exec("BEGIN IMMEDIATE");
  store.join(db, () => add("b"));
  db.exec("COMMIT");
  expect(count(db)).toBe(1);
});

it("says that a shared database was opened without a busy timeout, as is Node's default", async () => {
  const database = await openSqlite();
  const db = new DatabaseSync(database.address);
  const store = sqlite(new DatabaseSync(database.address));
  db.exec("BEGIN IMMEDIATE");
  await expect(store.transaction(() => add("a"))).rejects.toMatchObject({
    code: "store_busy",
    message: expect.stringMatching(/timeout of 0 ms\. Open it with .*\{ timeout: 5_000 \}/),
  });
  db.close();
  await database.close();
});

it("does not blame another process for a lock that this one holds", async () => {
  const database = await openSqlite();
  const store = sqlite(database.address, { busyTimeoutMs: 1 });
  const db = new DatabaseSync(database.address);
  db.exec("BEGIN IMMEDIATE");
  await expect(store.transaction(() => add("a"))).rejects.toMatchObject({
    code: "store_busy",
    message: expect.stringMatching(/Another connection, in this process or another.*without an aw/),
  });
  db.close();
  await store.close();
  await database.close();
});

it("tells the shop to rerun a transaction that read before another one wrote", async () => {
  const database = await openSqlite();
  const db = new DatabaseSync(database.address);
  const store = sqlite(db);
  const other = database.open();
  await migrate(store, orders);
  db.exec("BEGIN");
  count(db);
  await other.transaction(() => add("a"));
  expect(() => store.join(db, () => add("b"))).toThrow(
    expect.objectContaining({
      code: "store_conflict",
      message: expect.stringMatching(
        /Run your whole transaction again, and begin it with BEGIN IMM/,
      ),
    }),
  );
  db.exec("ROLLBACK");
  db.close();
  await database.close();
});

it("does not join a transaction that other code left open", async () => {
  const db = new DatabaseSync(":memory:");
  const store = sqlite(db);
  await migrate(store, orders);
  db.exec("BEGIN");
  await expect(store.transaction(() => add("a"))).rejects.toThrow(
    /has an open transaction on this database/,
  );
  db.exec("COMMIT");
  expect(count(db)).toBe(0);
});

it("reports a full disk, and rolls back the work", async () => {
  const db = new DatabaseSync(":memory:");
  const store = sqlite(db);
  await migrate(store, orders);
  const { page_count: pages } = db.prepare("PRAGMA page_count").get() as { page_count: number };
  db.exec(`PRAGMA max_page_count = ${pages}`);
  const filling = store.transaction(function* () {
    for (let n = 0; n < 1000; n++) yield* add(`order ${n}`);
  });
  await expect(filling).rejects.toThrow(/could not write.*free space/);
  expect(count(db)).toBe(0);
});
