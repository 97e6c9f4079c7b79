import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import fc from "fast-check";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it, vi } from "vitest";
import { create, list, newYear } from "../merchant.ts";
import { dataFolder, refusal } from "./data-files.ts";
import { anyStep, everythingOf, takeSteps } from "./steps.ts";

const { newFile } = dataFolder();
const refuse = () => new Response(null, { status: 500 });

describe("a sandbox with a data file", () => {
  it("continues where it was closed, as if it had stayed open", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyStep, { maxLength: 6 }), { maxLength: 4 }),
        async (sittings) => {
          const options = { seed: "data", now: newYear, deliver: refuse, merchants: [{}, {}] };
          const data = newFile();
          const lasting = createSandbox(options);
          for (const steps of sittings) {
            using sandbox = createSandbox({ ...options, data });
            const seen = await takeSteps(sandbox, steps);
            expect(seen).toEqual(await takeSteps(lasting, steps));
            expect(await everythingOf(sandbox)).toBe(await everythingOf(lasting));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("makes the file readable by its owner only, even one that others could read before", () => {
    const data = newFile();
    createSandbox({ data }).close();
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect(modeOf(data)).toBe(0o600);
    chmodSync(data, 0o644);
    using _sandbox = createSandbox({ data });
    expect([data, `${data}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
  });

  it("stores the state of a restored snapshot and of a loaded sandbox", async () => {
    const data = newFile();
    const other = createSandbox();
    const { paymentId } = await create(other);
    using sandbox = createSandbox({ data });
    const snapshot = sandbox.snapshot();
    await create(sandbox);
    sandbox.restore(snapshot);
    sandbox.close();
    using restored = createSandbox({ data });
    expect(restored.payments.all()).toEqual([]);
    restored.load(other.save());
    restored.close();
    using loaded = createSandbox({ data });
    expect(loaded.payments.all().map(({ id }) => id)).toEqual([paymentId]);
    expect(loaded.secretKey).toBe(other.secretKey);
  });

  it("keeps a merchant's limits unless an option sets them", () => {
    const data = newFile();
    const limits = { minPaymentInCents: 100 };
    createSandbox({ data, limits }).close();
    using sandbox = createSandbox({ data, limits: {} });
    expect(sandbox.merchants).toMatchObject([{ limits }]);
  });

  it("keeps the order of idempotency keys that are used again a day later", async () => {
    const data = newFile();
    const options = { now: newYear, data };
    const keyed = (key: string) => ({ "Idempotency-Key": key });
    {
      using sandbox = createSandbox(options);
      await create(sandbox, {}, keyed("a"));
      await create(sandbox, {}, keyed("b"));
      await sandbox.clock.advance("1d");
      await create(sandbox, {}, keyed("b"));
      await create(sandbox, {}, keyed("a"));
    }
    using sandbox = createSandbox(options);
    const keys = sandbox.save().tables["idempotency keys"] ?? [];
    expect(keys.map(([id]) => JSON.parse(id).at(-1))).toEqual(["b", "a"]);
  });

  it("has every change at once, even those that no response reports", async () => {
    const [data, copy] = [newFile(), newFile()];
    using sandbox = createSandbox({ data });
    for (const status of [500, 502]) {
      sandbox.faults.next("*", { status, when: "before" });
      await new Promise(setImmediate);
    }
    // As a killed process would leave it.
    for (const end of ["", "-wal"]) copyFileSync(data + end, copy + end);
    using killed = createSandbox({ data: copy });
    expect(killed.faults.waiting()).toEqual(sandbox.faults.waiting());
  });

  it("stops writing once it is closed", async () => {
    const data = newFile();
    const sandbox = createSandbox({ data });
    sandbox.close();
    await create(sandbox);
    sandbox.close();
    using again = createSandbox({ data });
    expect((await list(again)).pagination.total).toBe(0);
  });

  it("retries a webhook once, although the sandbox that sent it was closed before", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
    const data = newFile();
    const attempts: string[] = [];
    const open = (name: string) => {
      const deliver = () => {
        attempts.push(name);
        return refuse();
      };
      return createSandbox({ data, deliver });
    };
    const first = open("first");
    await create(first);
    await first.webhooks.idle();
    first.close();
    using second = open("second");
    await vi.advanceTimersByTimeAsync(30_000);
    await second.webhooks.idle();
    vi.useRealTimers();
    expect(attempts).toEqual(["first", "second"]);
  });

  it("writes no more records for a payment among many than for the first", async () => {
    using sandbox = createSandbox({ data: newFile() });
    const run = vi.spyOn(StatementSync.prototype, "run");
    const recordsWritten = async () => {
      run.mockClear();
      await create(sandbox);
      return run.mock.calls.length;
    };
    const first = await recordsWritten();
    for (let count = 0; count < 300; count++) await create(sandbox);
    expect(await recordsWritten()).toBe(first);
    expect(first).toBeLessThan(20);
    run.mockRestore();
  });
});

describe("a data file", () => {
  it("belongs to one sandbox at a time", async () => {
    const data = newFile();
    using sandbox = createSandbox({ data });
    const inUse = refusal("data_in_use", /Another sandbox is using .*Stop that sandbox/);
    expect(() => createSandbox({ data })).toThrow(inUse);
    expect(() => createSandbox({ data: `${dirname(data)}/./${basename(data)}` })).toThrow(inUse);
    await create(sandbox);
  });

  it.each([
    ["text", () => Buffer.from("orders: 12")],
    ["a long text", () => Buffer.from("x".repeat(4096))],
    ["another program's database", () => databaseWith("CREATE TABLE orders (id)")],
    [
      "one of a later version",
      () => {
        const data = newFile();
        createSandbox({ data }).close();
        const database = new DatabaseSync(data);
        database.exec("PRAGMA user_version = 2");
        database.close();
        return readFileSync(data);
      },
    ],
  ])("is refused and left unchanged when it is something else: %s", (_, bytes) => {
    const data = newFile();
    const content = bytes();
    writeFileSync(data, content);
    expect(() => createSandbox({ data })).toThrow(
      refusal("invalid_data", /is not a sandbox's data file|version 2, but .* reads version 1/),
    );
    expect(readFileSync(data)).toEqual(content);
  });

  it("is left unchanged if it belongs to another program that was killed", () => {
    const used = newFile();
    const other = new DatabaseSync(used);
    other.exec("PRAGMA journal_mode = WAL; CREATE TABLE orders (id)");
    const data = newFile();
    const contentsOf = (path: string) => ["", "-wal"].map((end) => readFileSync(path + end));
    for (const end of ["", "-wal"]) copyFileSync(used + end, data + end);
    const before = contentsOf(data);
    other.close();
    expect(() => createSandbox({ data })).toThrow(
      refusal("invalid_data", /is not a sandbox's data file/),
    );
    // SQLite would move the changes in the second file to the first one.
    expect(contentsOf(data)).toEqual(before);
  });

  it.each([
    ["UPDATE entries SET value = '{' WHERE tab = 'merchants'"],
    ["UPDATE entries SET value = 'null' WHERE tab = 'merchants'"],
    ["INSERT INTO entries (tab, key, value) VALUES ('payments', '1', 'null')"],
    ["DROP TABLE entries"],
  ])("is refused when damaged: %s", (damage) => {
    const data = newFile();
    createSandbox({ data }).close();
    const database = new DatabaseSync(data);
    database.exec(damage);
    database.close();
    expect(() => createSandbox({ data })).toThrow(refusal("invalid_data", /is damaged/));
    expect(() => createSandbox({ data })).toThrow(refusal("invalid_data", /is damaged/));
  });

  it("is refused, and not changed, when it can be read but not written", () => {
    const data = newFile();
    createSandbox({ data }).close();
    const database = new DatabaseSync(data);
    const index = database.prepare("SELECT rootpage FROM sqlite_schema WHERE type = 'index'").get();
    database.close();
    const end = Number(index?.rootpage) * 4_096;
    const damaged = readFileSync(data).fill(0, end - 4_096, end);
    writeFileSync(data, damaged);
    expect(() => createSandbox({ data })).toThrow(refusal("invalid_data", /is damaged/));
    expect(readFileSync(data)).toEqual(damaged);
  });

  it("is released, and remains new, if its first contents cannot be written", () => {
    const data = newFile();
    const options = { now: newYear, identity: "shop" };
    const { exec } = DatabaseSync.prototype;
    const spy = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (
      this: DatabaseSync,
      sql,
    ) {
      if (sql === "BEGIN IMMEDIATE") throw new Error("database or disk is full");
      exec.call(this, sql);
    });
    expect(() => createSandbox({ ...options, data })).toThrow(
      refusal("cannot_write_data", /is full/),
    );
    spy.mockRestore();
    createSandbox({ ...options, data }).close();
    using later = createSandbox({ data });
    expect(later.clock.now()).toEqual(newYear);
    expect(later.secretKey).toBe(createSandbox(options).secretKey);
  });

  it("remains new if the process that created it was killed before SQLite had committed that", async () => {
    const data = newFile();
    const marks = "PRAGMA application_id = 0x73746c6b; PRAGMA user_version = 1";
    writeFileSync(data, databaseWith(`CREATE TABLE entries (place); ${marks}`));
    // The journal of a transaction that began with an empty file, which SQLite rolls back.
    const journal = Buffer.alloc(512);
    journal.set(Buffer.from("d9d505f920a163d7", "hex"));
    journal.writeUInt32BE(512, 20);
    journal.writeUInt32BE(4096, 24);
    writeFileSync(`${data}-journal`, journal);
    createSandbox({ data }).close();
    using again = createSandbox({ data });
    await create(again);
  });

  it("requires a Node with SQLite", () => {
    const spy = vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined);
    expect(() => createSandbox({ data: newFile() })).toThrow(
      refusal("no_sqlite", /node:sqlite is not available.*Use Node 22.13/),
    );
    spy.mockRestore();
  });
});

function databaseWith(sql: string): Buffer {
  const path = newFile();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return readFileSync(path);
}
