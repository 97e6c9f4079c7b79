import { describe, expect, it, onTestFinished } from "vitest";
import { StoreError } from "../../src/errors.ts";
import { copyOf, databases, type TestDatabase } from "../databases.ts";
import { opened, order, World } from "./world.ts";

const orderOf = (orderId: string) => ({ ...order, orderId });
const hour = 3_600_000;

type Ledger = ReturnType<World["open"]>;

async function pay(payouts: Ledger, ...orderIds: string[]): Promise<void> {
  for (const orderId of orderIds) await payouts.plan(orderOf(orderId));
  await payouts.runDue();
}

describe.each(databases)("on %s, a process that starts with an old copy", (_, openDatabase) => {
  async function openWorld() {
    const database = closing(await openDatabase());
    const world = World.inMemory();
    const payouts = world.open({ store: database.open() });
    await payouts.migrate();
    await pay(payouts, "before");
    return { world, database, payouts };
  }

  function closing(database: TestDatabase): TestDatabase {
    onTestFinished(() => database.close());
    return database;
  }

  /** Each call is another process. */
  const startOn = (world: World, copy: TestDatabase) => () => world.open({ store: copy.open() });

  const backUp = async (database: TestDatabase) => closing(await copyOf(database));

  it("does not repeat payouts that the copy has as planned", async () => {
    const { world, database, payouts } = await openWorld();
    for (const orderId of ["a", "b", "c"]) await payouts.plan(orderOf(orderId));
    const start = startOn(world, await backUp(database));
    await world.open({ store: database.open() }).runDue();
    expect(world.made).toHaveLength(4);
    const restored = start();
    await restored.runDue();
    expect(world.made).toHaveLength(4);
    const made = world.made.find(({ orderId }) => orderId === "b");
    expect(await restored.get("b")).toMatchObject({ state: "sent", withdrawalId: made?.id });
    expect(await restored.verify()).toMatchObject({ ok: true });
  });

  it("does not repeat payouts that are planned again, whichever process sends, and when", async () => {
    const { world, database } = await openWorld();
    const start = startOn(world, await backUp(database));
    await pay(world.open({ store: database.open() }), "a", "b", "c");
    // The shop has planned before a worker starts.
    for (const orderId of ["a", "new"]) await start().plan(orderOf(orderId));
    await start().runDue();
    expect(world.made).toHaveLength(5);
    await pay(start(), "b", "newer");
    await world.sandbox.clock.advance(30 * 24 * hour);
    await pay(start(), "c", "newest");
    const paid = world.made.map(({ orderId }) => orderId);
    expect(paid.sort()).toEqual(["a", "b", "before", "c", "new", "newer", "newest"]);
    expect((await start().stats()).states).toMatchObject({ sent: 7 });
  });

  it("does not repeat payouts if the database was lost", async () => {
    const { world, payouts } = await openWorld();
    await pay(payouts, "a");
    const start = startOn(world, closing(await openDatabase()));
    await start().migrate();
    await pay(start(), "a", "b");
    expect(world.made).toHaveLength(3);
  });
});

/** The number of pages read by `run`. */
async function pagesOf(world: World, run: () => Promise<unknown>): Promise<number> {
  const before = world.listings.length;
  await run();
  return world.listings.length - before;
}

describe("the reading of the list before the first request of a process", () => {
  it("takes one request, not one for each payout", async () => {
    const { world, payouts } = await opened();
    expect(await pagesOf(world, () => pay(payouts, "a", "b", "c", "d", "e"))).toBe(1);
    expect(await pagesOf(world, () => pay(payouts, "f"))).toBe(0);
    expect(await pagesOf(world, () => pay(world.open(), "g", "h"))).toBe(1);
    expect(await pagesOf(world, () => world.open().runDue())).toBe(0);
  });

  it("goes back only to where the list was last read", async () => {
    const { world, payouts } = await opened();
    for (let n = 0; n < 10; n++) await world.client().withdrawals.create(orderOf(`other_${n}`));
    world.pageSize = 3;
    expect(await pagesOf(world, () => pay(payouts, "a"))).toBe(5);
    await world.sandbox.clock.advance(hour);
    await pay(payouts, "b");
    await pay(world.open(), "c");
    expect(await pagesOf(world, () => pay(world.open(), "d"))).toBe(1);
    expect(world.made).toHaveLength(14);
  });

  it("ends after ten pages if the list was never read", async () => {
    const { world, payouts } = await opened();
    for (let n = 0; n < 30; n++) await world.client().withdrawals.create(orderOf(`other_${n}`));
    world.pageSize = 3;
    expect(await pagesOf(world, () => pay(payouts, "a"))).toBe(10);
    expect(await pagesOf(world, () => pay(world.open(), "b"))).toBe(15);
    expect(world.made).toHaveLength(32);
  });

  it("leads to a lookup only for orders that another program has paid", async () => {
    const { world, payouts } = await opened();
    const ids = ["a", "b"].map((orderId) => world.client().withdrawals.create(orderOf(orderId)));
    const [a] = await Promise.all(ids);
    expect(await pagesOf(world, () => pay(payouts, "a", "c", "d"))).toBe(2);
    expect((await payouts.get("a"))?.withdrawalId).toBe(a?.id);
    expect(world.made).toHaveLength(4);
  });

  it("leaves an order to a person if another program has paid it differently", async () => {
    const { world, payouts } = await opened();
    await world.client().withdrawals.create({ ...order, amountInCents: 100 });
    await pay(payouts, order.orderId);
    expect(await payouts.get(order.orderId)).toMatchObject({
      state: "needs_decision",
      problem: expect.stringContaining("a different amountInCents"),
    });
    expect(world.made).toHaveLength(1);
  });

  it("goes to the end of a list that is not sorted newest first", async () => {
    const { world, payouts } = await opened();
    await pay(payouts, "a");
    await world.sandbox.clock.advance(hour);
    await world.client().withdrawals.create(orderOf("b"));
    const list = async () => {
      const { data, pagination } = await world.client().withdrawals.list();
      return Response.json({ data: data.toReversed(), pagination });
    };
    const reversed = await list();
    world.answer = (method, path) =>
      method === "GET" && path.endsWith("/withdrawals") ? reversed.clone() : undefined;
    await pay(world.open(), "b");
    expect(world.made).toHaveLength(2);
  });

  it.each([
    ["has nothing", { data: [], pagination: { total: 1, hasMore: false } }, 200],
    ["is refused", { code: "unauthorized", message: "No" }, 401],
    ["is unavailable", {}, 503],
  ])("ends without a request, and is repeated, if the list %s", async (_, body, status) => {
    const { world, payouts, state } = await opened();
    await world.client().withdrawals.create(order);
    world.answer = (method) => (method === "GET" ? Response.json(body, { status }) : undefined);
    await pay(payouts, order.orderId, "b");
    await world.live(payouts);
    expect(world.creations).toHaveLength(1);
    expect(await payouts.get(order.orderId)).toMatchObject({
      state: "planned",
      attempts: 0,
      problem: expect.any(String),
    });
    world.answer = () => undefined;
    await world.live(payouts);
    expect(await state()).toBe("sent");
    expect(world.made).toHaveLength(2);
  });

  it("does not end early because the service's count failed", async () => {
    const { world, payouts } = await opened();
    await pay(payouts, "a");
    await world.sandbox.clock.advance(hour);
    await world.client().withdrawals.create(orderOf("paid"));
    await world.sandbox.clock.advance(hour);
    await world.client().withdrawals.create(orderOf("newest"));
    const { data } = await world.client().withdrawals.list();
    const pagination = { total: 0, limit: 1, offset: 0, hasMore: false };
    world.answer = (method, path) =>
      method === "GET" && path.endsWith("/withdrawals")
        ? Response.json({ data: data.slice(0, 1), pagination })
        : undefined;
    await pay(world.open(), "paid");
    expect(world.made).toHaveLength(3);
  });

  it("starts over in a sandbox that was reset", async () => {
    const { world, payouts } = await opened();
    await world.sandbox.clock.advance(hour);
    await pay(payouts, "a");
    await world.sandbox.reset();
    await world.client().withdrawals.create(orderOf("b"));
    await pay(world.open(), "b");
    expect(world.made).toHaveLength(1);
  });

  it("does not count if the database loses commits meanwhile", async () => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    const tables = [
      "payouts",
      "payout_attempts",
      "payout_journal",
      "payout_heads",
      "payout_others",
    ];
    const each = (text: (table: string) => string) => {
      for (const name of tables) world.query(text(`settlekit_${name}`));
    };
    each((table) => `CREATE TABLE old_${table} AS SELECT * FROM ${table}`);
    await payouts.runDue();
    for (const orderId of ["a", "b", "c"]) {
      await world.sandbox.clock.advance(hour);
      await world.open().plan(orderOf(orderId));
      if (orderId !== "c") await world.open().runDue();
    }
    let isFailing = true;
    world.answer = (method) => {
      if (method === "GET" && isFailing) {
        isFailing = false;
        each((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM old_${table}`);
      }
      return undefined;
    };
    await world.open().runDue();
    await payouts.reopen({ by: "ann", reason: "a failover" });
    await world.open().runDue();
    expect(world.made).toHaveLength(3);
    expect((await payouts.get(order.orderId))?.state).toBe("sent");
  });
});

describe("if the database was unavailable, a replica without its last commits may have taken over, so the reading", () => {
  async function openFailing(cause?: object) {
    const world = World.inMemory();
    const store = world.store();
    const state = { isDown: false };
    const transaction: typeof store.transaction = async (...work) => {
      if (state.isDown) throw new StoreError("No connection", { code: "store_unavailable", cause });
      return store.transaction(...work);
    };
    const payouts = world.open({ store: { ...store, transaction } });
    await payouts.migrate();
    const failOnce = async () => {
      state.isDown = true;
      await expect(payouts.get("any")).rejects.toThrow("No connection");
      state.isDown = false;
    };
    /** The database fails while the list is read. */
    const payWhileItFails = async () => {
      let failing: Promise<void> | undefined;
      world.answer = (method) => {
        if (method === "GET") failing ??= failOnce();
        return undefined;
      };
      await pay(payouts, order.orderId);
      await failing;
    };
    return { world, payouts, failOnce, payWhileItFails };
  }

  it("is repeated", async () => {
    const { world, payouts, failOnce } = await openFailing();
    await pay(payouts, order.orderId);
    await world.client().withdrawals.create(orderOf("lost"));
    await failOnce();
    await pay(payouts, "lost");
    expect(world.made).toHaveLength(2);
  });

  it("does not count if that happens meanwhile", async () => {
    const { world, payouts, payWhileItFails } = await openFailing();
    await payWhileItFails();
    expect(world.creations).toEqual([]);
    expect(await payouts.get(order.orderId)).toMatchObject({
      state: "planned",
      problem: expect.stringContaining("The list will be read again."),
    });
    await world.live(payouts);
    expect(world.made).toHaveLength(1);
  });

  it("counts if only a statement took too long, such as one for a list", async () => {
    const { world, payWhileItFails } = await openFailing({ code: "57014" });
    await payWhileItFails();
    expect(world.made).toHaveLength(1);
  });
});

it("is repeated after the breaker was open, so that a running process finds what was restored", async () => {
  const { world, payouts } = await opened();
  await pay(payouts, order.orderId);
  await world.client().withdrawals.create(orderOf("lost"));
  await payouts.stopAll({ by: "ann", reason: "a restore" });
  await payouts.runDue();
  await payouts.reopen({ by: "ann", reason: "restored" });
  await pay(payouts, "lost");
  expect(world.made).toHaveLength(2);
});
