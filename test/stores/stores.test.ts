import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreError } from "../../src/errors.ts";
import {
  type Component,
  call,
  migrate,
  migrationScript,
  requireMigrated,
  type Store,
  sql,
} from "../../src/stores/store.ts";
import { databases, type TestDatabase } from "../databases.ts";

const notes: Component = {
  name: "inbox",
  migrations: [
    ["CREATE TABLE {notes} (id {serial}, text TEXT NOT NULL UNIQUE, at BIGINT NOT NULL)"],
    ["ALTER TABLE {notes} ADD COLUMN author TEXT"],
  ],
};

const add = (text: string) =>
  sql<{ id: number }>(
    "INSERT INTO {notes} (text, at) VALUES ($1, {now}) ON CONFLICT DO NOTHING RETURNING id",
    [text],
  );

describe.each(databases)("a store on %s", (name, openDatabase) => {
  let database: TestDatabase;
  let store: Store;
  beforeEach(async () => {
    database = await openDatabase();
    store = database.open();
  });
  afterEach(() => database.close());

  const texts = () =>
    store.transaction(function* () {
      return (yield* sql<{ text: string }>("SELECT text FROM {notes} ORDER BY id")).map(
        (row) => row.text,
      );
    });

  it("runs a unit of work as one transaction, and returns its result", async () => {
    await migrate(store, notes);
    const ids = await store.transaction(function* () {
      const [first] = yield* add("a");
      const repeated = yield* add("a");
      return [first?.id, repeated.length];
    });
    expect(ids).toEqual([1, 0]);
    expect(await texts()).toEqual(["a"]);
  });

  it("rolls back when the work throws, and rethrows the same error", async () => {
    await migrate(store, notes);
    const problem = new Error("no more");
    const failing = store.transaction(function* () {
      yield* add("a");
      throw problem;
    });
    await expect(failing).rejects.toBe(problem);
    expect(await texts()).toEqual([]);
  });

  it("returns counts, times and sums as numbers, by the database's clock", async () => {
    await migrate(store, notes);
    const [row] = await store.transaction(function* () {
      yield* add("a");
      return yield* sql(
        "SELECT count(*) AS count, sum(id) AS sum, max(at) AS at, count(*) > 0 AS flag FROM {notes}",
      );
    });
    expect(row).toEqual({ count: 1, sum: 1, at: expect.any(Number), flag: 1 });
    expect(Math.abs(Number(row?.at) - Date.now())).toBeLessThan(60_000);
  });

  it("reads the time from a table in tests", async () => {
    await database.query("CREATE TABLE test_clock (ms BIGINT)");
    await database.query("INSERT INTO test_clock VALUES (1234)");
    const other = database.open({ clock: "(SELECT ms FROM test_clock)" });
    const now = () => other.transaction(() => sql("SELECT {now} AS now"));
    expect(await now()).toEqual([{ now: 1234 }]);
    await database.query("UPDATE test_clock SET ms = 1235");
    expect(await now()).toEqual([{ now: 1235 }]);
  });

  it("migrates once, however many processes do it at the same time", async () => {
    const stores = Array.from({ length: 4 }, () => database.open());
    const ran = await Promise.all(stores.map((it) => migrate(it, notes)));
    expect(ran.sort()).toEqual([0, 0, 0, 2]);
    await requireMigrated(store, notes);
    expect(await migrate(store, notes)).toBe(0);
  });

  it("migrates from the existing version", async () => {
    await migrate(store, { ...notes, migrations: notes.migrations.slice(0, 1) });
    await expect(requireMigrated(store, notes)).rejects.toEqual(
      expect.objectContaining({
        code: "not_migrated",
        message: expect.stringMatching(
          /version 1 of the inbox tables.*needs 2. Call inbox\.migrate\(\)/,
        ),
      }),
    );
    expect(await migrate(store, notes)).toBe(1);
  });

  it("prints its migrations as a script that does the same", async () => {
    await database.query(migrationScript(store.dialect, notes));
    await requireMigrated(store, notes);
    expect(await migrate(store, notes)).toBe(0);
  });

  it("prints a script that migrates from the existing version", async () => {
    await migrate(store, { ...notes, migrations: notes.migrations.slice(0, 1) });
    await database.query(migrationScript(store.dialect, notes, 1));
    await requireMigrated(store, notes);
    await store.transaction(() => add("a"));
    expect(await migrate(store, notes)).toBe(0);
  });

  it("refuses tables of a newer settlekit", async () => {
    await migrate(store, notes);
    const older = { ...notes, migrations: notes.migrations.slice(0, 1) };
    const refusal = expect.objectContaining({
      code: "newer_schema",
      message: expect.stringMatching(/version 2 .* supports up to 1\. Update settlekit/),
    });
    await expect(migrate(store, older)).rejects.toEqual(refusal);
    await expect(requireMigrated(store, older)).rejects.toEqual(refusal);
  });

  it("reports missing tables", async () => {
    await expect(store.transaction(() => add("a"))).rejects.toEqual(
      expect.objectContaining({ name: "StoreError", code: "not_migrated" }),
    );
  });

  it("says where the tables are missing, and prints them there", async () => {
    const [place, options] =
      name === "PostgreSQL"
        ? ["in the schema settlekit", "--postgres --schema settlekit"]
        : ["in this database", "--sqlite"];
    await expect(requireMigrated(store, notes)).rejects.toThrow(
      `out of date ${place}. Call inbox.migrate() once when you deploy, or run what \`settlekit inbox sql ${options}\` prints.`,
    );
    await migrate(store, { ...notes, migrations: notes.migrations.slice(0, 1) });
    await expect(requireMigrated(store, notes)).rejects.toThrow(
      `or run what \`settlekit inbox sql ${options} --from 1\` prints.`,
    );
  });

  it("isolates two units of work that write the same row", async () => {
    await migrate(store, notes);
    const other = database.open();
    await store.transaction(() => add("0"));
    const increment = (it: Store) =>
      it.transaction(() => sql("UPDATE {notes} SET text = CAST(CAST(text AS BIGINT) + 1 AS TEXT)"));
    await Promise.all(Array.from({ length: 20 }, (_, i) => increment(i % 2 ? store : other)));
    expect(await texts()).toEqual(["20"]);
  });

  it("wakes the channel's listeners once the work is committed", async () => {
    await migrate(store, notes);
    const woken: string[] = [];
    const { promise: inboxWoken, resolve } = Promise.withResolvers<void>();
    const ready = Promise.withResolvers<void>();
    const unsubscribe = store.listen("inbox", () => {
      woken.push("inbox");
      if (name === "SQLite" || woken.length > 1) resolve();
      ready.resolve();
    });
    const unsubscribeSecond = store.listen("inbox", () => {});
    const unsubscribeOther = store.listen("payouts", () => woken.push("payouts"));
    // PostgreSQL wakes once when it begins to listen, because it may have missed something.
    if (name === "PostgreSQL") await ready.promise;
    woken.splice(0, woken.length, ...woken.filter((it) => it === "inbox"));
    await store.transaction(() => add("a"), { wake: "inbox" });
    await inboxWoken;
    expect(woken).not.toContain("payouts");
    await unsubscribe();
    await unsubscribeSecond();
    await unsubscribeOther();
  });

  it("passes the driver's own client to the merchant's code, in the same transaction", async () => {
    await migrate(store, notes);
    const failing = store.transaction(function* () {
      yield* add("a");
      yield* call((tx) => {
        const text = `INSERT INTO ${store.dialect.expand("{notes}")} (text, at) VALUES ('b', 1)`;
        if ("exec" in Object(tx)) Object(tx).exec(text);
        return store.mode === "async" ? Object(tx).query(text) : undefined;
      });
      expect((yield* sql("SELECT count(*) AS count FROM {notes}"))[0]).toEqual({ count: 2 });
      throw new Error("undo");
    });
    await expect(failing).rejects.toThrow("undo");
    expect(await texts()).toEqual([]);
  });

  it("refuses code of the merchant's that ends the transaction, and commits nothing after it", async () => {
    await migrate(store, notes);
    const ending = store.transaction(function* () {
      yield* call((tx) => {
        if ("exec" in Object(tx)) Object(tx).exec("ROLLBACK");
        return store.mode === "async" ? Object(tx).query("ROLLBACK") : undefined;
      });
      yield* add("a");
    });
    await expect(ending).rejects.toEqual(expect.objectContaining({ code: "transaction_ended" }));
    expect(await texts()).toEqual([]);
  });

  it("reports a failed statement, and runs the next unit of work", async () => {
    await migrate(store, notes);
    const failing = store.transaction(() => sql("SELECT nothing sensible"));
    await expect(failing).rejects.toBeInstanceOf(StoreError);
    await store.transaction(() => add("a"));
    expect(await texts()).toEqual(["a"]);
  });
});
