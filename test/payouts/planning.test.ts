import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inLedger } from "../../src/payouts/journal.ts";
import { call } from "../../src/stores/store.ts";
import { databases, type TestDatabase } from "../databases.ts";
import { minute, order, World } from "./world.ts";

describe.each(databases)("planning on %s", (name, openDatabase) => {
  let database: TestDatabase;
  let world: World;
  beforeEach(async () => {
    database = await openDatabase();
    world = await World.on(database);
    await world.open().migrate();
  });
  afterEach(() => database.close());

  it("returns the existing payout when the same one is planned again, and reports it once", async () => {
    const told: string[] = [];
    const payouts = world.open({ onEvent: ({ type }) => told.push(type) });
    const first = await payouts.plan(order);
    const again = { ...order, recipientAddress: order.recipientAddress.toLowerCase() };
    expect(await payouts.plan(again)).toEqual(first);
    expect(told).toEqual(["changed"]);
    expect(await payouts.list()).toHaveLength(1);
    expect(await payouts.verify()).toEqual({ ok: true, entries: 1 });
  });

  it("returns a payout that is already planned, even if the limits no longer allow it", async () => {
    const first = await world.open().plan(order);
    const store = world.store();
    const stricter = world.open({ store, limits: { perPayout: 100 } });
    expect(await stricter.plan(order)).toEqual(first);
    const planned = (tx: unknown) => stricter.plan(order, { tx }) as never;
    expect(await store.transaction(() => call(planned))).toEqual(first);
    await expect(stricter.plan({ ...order, orderId: "new" })).rejects.toMatchObject({
      code: "over_limit",
    });
  });

  it("names the differing parameters when an orderId is planned with other ones", async () => {
    const payouts = world.open();
    await payouts.plan(order);
    await expect(payouts.plan({ ...order, amountInCents: 1, chainId: 1 })).rejects.toEqual(
      expect.objectContaining({
        name: "IdempotencyConflictError",
        message: expect.stringContaining("different amountInCents, chainId."),
      }),
    );
    await expect(payouts.plan({ ...order, customMetadata: { seller: 9 } })).rejects.toThrow(
      "different customMetadata.",
    );
  });

  it("refuses input that withdrawals.create refuses, before a row exists", async () => {
    const payouts = world.open();
    const refused = [
      [{ amountInCents: 0.5 }, "amountInCents"],
      [{ amountInCents: 100_000_001 }, "amountInCents"],
      [{ chainId: -1 }, "chainId"],
      [{ recipientAddress: "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed" }, "recipientAddress"],
      [{ recipientAddress: `0x${"0".repeat(40)}` }, "recipientAddress"],
      [{ orderId: "" }, "orderId"],
      [{ orderId: " trimmed" }, "orderId"],
      [{ orderId: "a".repeat(256) }, "orderId"],
      [{ customMetadata: "a".repeat(2_049) }, "customMetadata"],
      [{ metadata: {} }, "metadata"],
    ] as const;
    for (const [wrong, param] of refused) {
      await expect(payouts.plan({ ...order, ...wrong } as typeof order)).rejects.toEqual(
        expect.objectContaining({ name: "InvalidRequestError", param }),
      );
    }
    expect(await payouts.list()).toEqual([]);
    expect(world.creations).toEqual([]);
  });

  it("plans in the merchant's transaction, and rolls back with it", async () => {
    const store = world.store();
    const payouts = world.open({ store });
    const planned = (tx: unknown) => payouts.plan(order, { tx, by: "shop" }) as never;
    const failing = store.transaction(function* () {
      yield* call(planned);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await payouts.list()).toEqual([]);
    await store.transaction(() => call(planned));
    await payouts.runDue();
    expect(await payouts.get(order.orderId)).toMatchObject({ state: "sent", plannedBy: "shop" });
    expect(await payouts.verify()).toEqual({ ok: true, entries: 3 });
  });

  it("creates one row for a payout that two processes plan at once", async () => {
    const processes = [world.open(), world.open()];
    const plans = Array.from({ length: 6 }, (_, i) => processes[i % 2]?.plan(order));
    const rows = await Promise.all(plans);
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(1);
    expect(await processes[0]?.verify()).toEqual({ ok: true, entries: 1 });
  });

  // SQLite chooses keys that are free.
  if (name === "PostgreSQL") {
    it("does not take a payout for a planned one where generated keys begin again, as on a logical replica", async () => {
      const payouts = world.open();
      await payouts.plan(order);
      const { dialect } = world.store();
      await database.query(dialect.expand("ALTER TABLE {payouts} ALTER id RESTART"));
      await expect(payouts.plan({ ...order, orderId: "payout_2" })).rejects.toMatchObject({
        code: "store_failed",
      });
    });
  }

  it("lists by state, in the order of planning", async () => {
    const payouts = world.open();
    for (const orderId of ["b", "a", "c"]) await payouts.plan({ ...order, orderId });
    await payouts.cancel("a", { by: "ann", reason: "a mistake" });
    const ids = async (query: object) => (await payouts.list(query)).map(({ orderId }) => orderId);
    expect(await ids({ state: "planned" })).toEqual(["b", "c"]);
    expect(await ids({ limit: 1, offset: 1 })).toEqual(["a"]);
    expect((await payouts.get("a"))?.problem).toBe("Cancelled by ann: a mistake");
    await expect(payouts.list({ state: "plannd" as never })).rejects.toThrow(
      'There is no state "plannd". Did you mean planned?',
    );
    await payouts.runDue({ concurrency: 1 });
    expect(world.made.map(({ orderId }) => orderId)).toEqual(["b", "c"]);
  });

  it("cancels and rejects only payouts for which nothing was sent", async () => {
    const payouts = world.open();
    await payouts.plan(order);
    await payouts.runDue();
    const by = { by: "ann" };
    for (const verb of ["cancel", "reject", "approve"] as const) {
      await expect(payouts[verb](order.orderId, by)).rejects.toEqual(
        expect.objectContaining({ code: "wrong_state" }),
      );
    }
    await expect(payouts.cancel("none", by)).rejects.toEqual(
      expect.objectContaining({ code: "no_payout" }),
    );
    await expect(payouts.cancel(order.orderId, { by: " " })).rejects.toThrow(/by must name/);
  });

  it.each([
    ["lost", "'unknown'"],
    ["never begun because the process crashed", "NULL"],
  ])(
    "cancels a payout whose request was %s, even while the breaker is open",
    async (_, outcome) => {
      const payouts = world.open();
      world.fates.push("lost");
      await payouts.plan(order);
      await payouts.runDue();
      const { dialect } = world.store();
      await database.query(dialect.expand(`UPDATE {payout_attempts} SET outcome = ${outcome}`));
      await world.store().transaction(() => inLedger("", (ledger) => ledger.stop(null, "A test.")));
      await expect(payouts.cancel(order.orderId, { by: "ann" })).rejects.toThrow("is sending");
      await world.live(payouts, 20 * minute);
      const cancelled = await payouts.cancel(order.orderId, { by: "ann" });
      expect(cancelled.state).toBe("cancelled");
      expect(await payouts.verify()).toMatchObject({ ok: true });
    },
  );

  it("cancels nothing after a 429, because a copy of the request may have got through", async () => {
    const payouts = world.open();
    const limited = () => Response.json({ code: "no", message: "No" }, { status: 429 });
    world.answer = (method) => (method === "POST" ? limited() : undefined);
    await payouts.plan(order);
    await payouts.runDue();
    await expect(payouts.cancel(order.orderId, { by: "ann" })).rejects.toThrow("is sending");
    world.answer = () => undefined;
    await world.client().withdrawals.create(order);
    await world.live(payouts, 10 * minute);
    expect(await payouts.get(order.orderId)).toMatchObject({ state: "sent", attempts: 1 });
  });

  it("keeps the payouts of tenants apart", async () => {
    const [a, b] = [world.open({ tenant: "a" }), world.open({ tenant: "b" })];
    await a.plan(order);
    expect(await b.get(order.orderId)).toBeUndefined();
    await b.runDue();
    expect(world.made).toEqual([]);
    expect(await b.verify()).toEqual({ ok: true, entries: 0 });
  });

  it("reports missing tables", async () => {
    if (name === "SQLite") await database.query("DROP TABLE settlekit_payouts");
    else await database.query("DROP SCHEMA settlekit CASCADE");
    await expect(world.open().plan(order)).rejects.toEqual(
      expect.objectContaining({ code: "not_migrated" }),
    );
  });
});

it("returns the payout synchronously in a transaction on SQLite, where an await would let in other work", async () => {
  const { sqlite } = await import("../../src/stores/sqlite.ts");
  const { createPayouts } = await import("../../src/payouts/index.ts");
  const db = new DatabaseSync(":memory:");
  const payouts = createPayouts({ client: World.inMemory().client(), store: sqlite(db) });
  await payouts.migrate();
  db.exec("BEGIN IMMEDIATE");
  expect(payouts.plan(order, { tx: db }).state).toBe("planned");
  expect(() => payouts.plan({ ...order, amountInCents: 1 }, { tx: db })).toThrow(/already planned/);
  db.exec("ROLLBACK");
  expect(await payouts.list()).toEqual([]);
  expect(() => payouts.plan(order, { tx: db })).toThrow(/no open transaction/);
});
