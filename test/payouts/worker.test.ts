import { describe, expect, it, vi } from "vitest";
import { createInbox } from "../../src/inbox/index.ts";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import type { Store } from "../../src/stores/store.ts";
import { signWebhook, Webhooks } from "../../src/webhooks/index.ts";
import { databases } from "../databases.ts";
import { minute, opened, order, World } from "./world.ts";

describe.each(databases)("a worker on %s", (name, openDatabase) => {
  it("is woken by a new payout, sends it, and stops with nothing left running", async () => {
    const database = await openDatabase();
    const world = await World.on(database);
    const payouts = world.open();
    await payouts.migrate();
    const worker = payouts.start({ pollMs: name === "SQLite" ? 60_000 : 50 });
    expect(() => payouts.start()).toThrow(/while a worker of this ledger is running/);
    await payouts.plan(order);
    await vi.waitFor(async () => expect((await payouts.get(order.orderId))?.state).toBe("sent"));
    await worker.stop();
    await payouts.plan({ ...order, orderId: "later" });
    await new Promise((resolve) => setImmediate(resolve));
    expect((await payouts.get("later"))?.state).toBe("planned");
    {
      await using _worker = payouts.start({ concurrency: 1, pollMs: 20 });
      await vi.waitFor(async () => expect((await payouts.get("later"))?.state).toBe("sent"));
    }
    expect(world.made).toHaveLength(2);
    await database.close();
  });

  it("follows withdrawals through an inbox's webhooks, in the inbox's transaction", async () => {
    const database = await openDatabase();
    const world = await World.on(database);
    const store = world.store();
    const client = world.client();
    const inbox = createInbox({ client, webhooks: new Webhooks({ secret: "s" }), store });
    const events: PayoutsEvent[] = [];
    const payouts = world.open({ store, inbox, onEvent: (event) => events.push(event) });
    const deliver = async (data: { id: string; status: string }) => {
      const event = { event: "withdrawal.updated", data } as never;
      const signed = signWebhook({ event, secret: "s" });
      await inbox.fetchHandler()(signed.request("http://127.0.0.1/webhooks"));
    };
    await inbox.migrate();
    await payouts.migrate();
    await inbox.settleDue();
    expect(() => world.open({ store, inbox })).toThrow(/The inbox already updates another ledger/);
    world.open({ store, inbox, tenant: "another" });
    await payouts.plan(order);
    await payouts.runDue();
    const [withdrawal] = world.made;
    const id = withdrawal?.id ?? "";
    await world.sandbox.withdrawals.simulate(id, "complete");
    const other = await client.withdrawals.create({ ...order, orderId: "not of the ledger" });
    const second = await client.withdrawals.create(order);
    for (const data of [
      { id, status: "completed" },
      { id: other.id, status: "pending" },
    ]) {
      await deliver(data);
    }
    await inbox.settleDue();
    expect(await payouts.get(order.orderId)).toMatchObject({
      state: "completed",
      withdrawalId: id,
    });
    expect(events.at(-1)).toMatchObject({ type: "changed", payout: { state: "completed" } });
    await deliver({ id: second.id, status: "pending" });
    await inbox.settleDue();
    expect(events.slice(-2)).toMatchObject([
      { type: "stopped", reason: expect.stringContaining("2 withdrawals") },
      { type: "changed", payout: { state: "needs_decision" } },
    ]);
    expect((await payouts.verify()).ok).toBe(true);
    await database.close();
  });
});

it("sends nothing with the tables of a newer settlekit", async () => {
  const world = World.inMemory();
  const old = world.open();
  await old.migrate();
  await old.plan(order);
  await world.query("INSERT INTO settlekit_migrations VALUES ('payouts', 99, 1)");
  const failed = Promise.withResolvers<PayoutsEvent>();
  const payouts = world.open({ onEvent: failed.resolve });
  {
    await using _worker = payouts.start({ pollMs: 1 });
    expect(await failed.promise).toMatchObject({ type: "failed", error: { code: "newer_schema" } });
  }
  await expect(payouts.approve(order.orderId, { by: "ann" })).rejects.toMatchObject({
    code: "newer_schema",
  });
  expect(world.creations).toEqual([]);
});

it("refuses invalid options", async () => {
  const payouts = World.inMemory().open();
  expect(() => payouts.start({ concurrency: 0 })).toThrow(/concurrency must be a whole number, 1/);
  expect(() => payouts.start({ pollMs: 0 })).toThrow(/pollMs/);
  for (const query of [{ limit: 0 }, { limit: 1.5 }, { offset: -1 }, { state: "x" as "sent" }]) {
    await expect(payouts.list(query)).rejects.toMatchObject({
      name: "InvalidRequestError",
      code: "invalid_request",
      param: Object.keys(query)[0],
    });
  }
  await expect(payouts.get(undefined as never)).rejects.toThrow(
    /orderId must be a non-empty string/,
  );
  await expect(payouts.reopen({ by: "ann", reason: "a\nb" })).rejects.toThrow(
    /reason must say why, in one line/,
  );
  expect(() => World.inMemory().open({ quietMs: 120 })).toThrow(/at least 1000, got 120/);
});

it("refuses an inbox with another store, because it could not write in that store's transactions", () => {
  const world = World.inMemory();
  const [client, webhooks] = [world.client(), new Webhooks({ secret: "s" })];
  const inbox = createInbox({ client, webhooks, store: world.store() });
  expect(() => world.open({ inbox })).toThrow(
    /The inbox and the ledger have different stores\. Create one/,
  );
});

it("continues when the merchant's callbacks throw", async () => {
  const world = World.inMemory();
  const fail = () => {
    throw new Error("mine");
  };
  const payouts = world.open({ onEvent: fail, logger: { warn: fail, error: fail } });
  await payouts.migrate();
  world.fates.push("refused connection");
  await payouts.plan(order);
  await world.live(payouts, 2 * minute);
  expect((await payouts.get(order.orderId))?.state).toBe("sent");
});

it("still calls onEvent when the logger throws", async () => {
  const fail = () => {
    throw new Error("mine");
  };
  const { world, payouts, told } = await opened({ logger: { warn: fail, error: fail } });
  world.fates.push("refused connection");
  await payouts.plan(order);
  await payouts.runDue();
  expect(told()).toEqual(["planned", "failed"]);
});

it("continues with other payouts while it is too early to look up one that a crashed worker left", async () => {
  const { world, payouts } = await opened();
  world.fates.push("lost");
  await payouts.plan(order);
  await payouts.runDue();
  // The lease of a crashed worker ends before the quiet time.
  world.query("UPDATE settlekit_payouts SET due_at = 0");
  for (let n = 0; n < 3; n++) await payouts.plan({ ...order, orderId: `p${n}` });
  await payouts.runDue({ concurrency: 1 });
  expect((await payouts.stats()).states).toMatchObject({ sending: 1, sent: 3 });
});

it("leaves a lookup that it cannot finish to another worker, however long the doubt has lasted", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("unanswered");
  await payouts.plan(order);
  await payouts.runDue();
  await world.advance(61 * minute);
  const reading = Promise.withResolvers<void>();
  const events: PayoutsEvent[] = [];
  const fetch = async (_url: string, { signal }: RequestInit) => {
    reading.resolve();
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener("abort", () => reject(signal.reason));
    return promise;
  };
  const other = world.open({ client: { fetch: fetch as never }, onEvent: (it) => events.push(it) });
  const worker = other.start({ drainMs: 0 });
  await reading.promise;
  await worker.stop();
  expect(events).toEqual([]);
  expect(await state()).toBe("sending");
  expect((await payouts.stats()).lagMs).toBe(0);
  await payouts.runDue();
  expect(await state()).toBe("sent");
});

describe("the check of the journal", () => {
  const pages = 3;
  /** A ledger of several pages, with its reads counted. */
  async function reading() {
    const world = World.inMemory();
    const planned = world.open();
    await planned.migrate();
    for (let n = 0; n < pages * 200; n++) await planned.plan({ ...order, orderId: `p${n}` });
    const inner = world.store();
    const texts: string[] = [];
    const transaction: Store["transaction"] = (work, options) =>
      inner.transaction(function* () {
        const steps = work();
        let step = steps.next();
        while (!step.done) {
          texts.push("text" in step.value ? step.value.text : "");
          step = steps.next(yield step.value);
        }
        return step.value;
      }, options);
    const read = (text: RegExp) => texts.filter((each) => text.test(each)).length;
    const events: PayoutsEvent[] = [];
    const store = { ...inner, transaction };
    const payouts = world.open({ store, onEvent: (event) => events.push(event) });
    return {
      payouts,
      events,
      begun: () => read(/LEFT JOIN \{payout_heads\}/),
      compared: () => read(/LEFT JOIN \{payout_journal\}/),
    };
  }

  it("yields to other work", async () => {
    const { payouts } = await reading();
    let turns = 0;
    let next = setImmediate(function take() {
      turns++;
      next = setImmediate(take);
    });
    await payouts.verify();
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(pages);
  });

  it("ends when the signal of runDue aborts, and starts over the next time", async () => {
    const { payouts, begun, compared } = await reading();
    const signal = AbortSignal.abort();
    expect(await payouts.runDue({ signal })).toBe(0);
    expect([begun(), compared()]).toEqual([1, 0]);
    const ending = new AbortController();
    const running = payouts.runDue({ signal: ending.signal });
    await vi.waitFor(() => expect(compared()).toBeGreaterThan(0), { interval: 0 });
    ending.abort();
    expect(await running).toBe(0);
    expect(compared()).toBeLessThan(pages);
    expect((await payouts.stats()).states.planned).toBe(pages * 200);
    expect(begun()).toBe(2);
  });

  it("fails with the database, and starts over the next time", async () => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    await world.query("UPDATE settlekit_payout_journal SET at = 1");
    await world.query("ALTER TABLE settlekit_payout_journal RENAME TO journal");
    await expect(payouts.runDue()).rejects.toThrow("tables are missing");
    await world.query("ALTER TABLE journal RENAME TO settlekit_payout_journal");
    await payouts.runDue();
    expect(world.made).toEqual([]);
    expect((await payouts.stats()).stopped?.reason).toMatch(/journal check failed/);
  });

  it("continues for a concurrent runDue", async () => {
    const { payouts, compared } = await reading();
    const [first, second] = [new AbortController(), new AbortController()];
    const ended = payouts.runDue({ signal: first.signal });
    const goingOn = payouts.runDue({ signal: second.signal });
    first.abort();
    expect(await ended).toBe(0);
    await vi.waitFor(() => expect(compared()).toBeGreaterThan(1), { interval: 0 });
    second.abort();
    expect(await goingOn).toBe(0);
  });

  it("runs once before a worker sends, and ends without an error when the worker is stopped", async () => {
    const { payouts, events, begun, compared } = await reading();
    await payouts.start().stop();
    expect([begun(), compared()]).toEqual([1, 0]);
    expect(events).toEqual([]);
    const worker = payouts.start();
    await vi.waitFor(() =>
      expect(events).toContainEqual(expect.objectContaining({ type: "changed" })),
    );
    await worker.stop();
    expect(begun()).toBe(2);
  });
});
