import { DatabaseSync } from "node:sqlite";
import { expect, it, vi } from "vitest";
import { sqlite } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { minute, opened, order, World } from "./world.ts";

it("starts nothing more once its signal aborts, and finishes running work", async () => {
  const { world, payouts } = await opened();
  for (let n = 0; n < 5; n++) await payouts.plan({ ...order, orderId: `p${n}` });
  const ending = new AbortController();
  world.onCreation = async () => ending.abort();
  expect(await payouts.runDue({ concurrency: 2, signal: ending.signal })).toBe(2);
  expect((await payouts.stats()).states).toMatchObject({ sent: 2, planned: 3 });
  await expect(payouts.runDue({ signal: ending as never })).rejects.toThrow(
    "signal must be an AbortSignal",
  );
});

it("starts nothing more once it is being stopped, even if it is waiting for a free slot", async () => {
  const { world, payouts, state } = await opened();
  await payouts.plan(order);
  await payouts.plan({ ...order, orderId: "second" });
  const [arrived, response] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  world.onCreation = async () => {
    arrived.resolve();
    await response.promise;
  };
  const worker = payouts.start({ concurrency: 1, pollMs: 1 });
  await arrived.promise;
  await new Promise((resolve) => setTimeout(resolve, 20));
  const stopping = worker.stop();
  response.resolve();
  await stopping;
  expect(await state()).toBe("sent");
  expect((await payouts.get("second"))?.state).toBe("planned");
});

it("puts few payouts in doubt while the service is unavailable, and sends the others afterwards", async () => {
  const { world, payouts } = await opened({ limits: {} });
  await payouts.plan(order);
  await payouts.runDue();
  const total = 40;
  for (let n = 0; n < total; n++) await payouts.plan({ ...order, orderId: `p${n}` });
  let isDown = true;
  world.answer = () => (isDown ? new Response("unavailable", { status: 503 }) : undefined);
  for (let passed = 0; passed < 90; passed += 10) {
    await payouts.runDue();
    await world.advance(10 * minute);
  }
  const { states } = await payouts.stats();
  expect(states.needs_decision).toBeGreaterThan(0);
  expect(states.planned).toBeGreaterThanOrEqual(total - 10);
  isDown = false;
  await world.live(payouts, 15 * minute);
  expect((await payouts.stats()).states).toMatchObject({
    sent: 1 + total - states.needs_decision,
    needs_decision: states.needs_decision,
  });
});

it.each(["a worker", "runDue"])(
  "puts no more payouts in doubt the longer the service is unavailable, with %s",
  async (how) => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    await payouts.runDue();
    for (let n = 0; n < 30; n++) await payouts.plan({ ...order, orderId: `p${n}` });
    let isDown = true;
    world.answer = () => (isDown ? new Response("unavailable", { status: 503 }) : undefined);
    if (how === "runDue") {
      await world.live(payouts, 6 * 60 * minute);
    } else {
      await world.withWorker(payouts, 6 * 60 * minute);
    }
    const { needs_decision, planned } = (await payouts.stats()).states;
    expect(needs_decision).toBeGreaterThan(0);
    expect(needs_decision).toBeLessThanOrEqual(4);
    expect(planned).toBe(30 - needs_decision);
    isDown = false;
    // The other client has seen the fake timers' clock.
    const later = world.open();
    await world.live(later, 30 * minute);
    expect((await later.stats()).states).toMatchObject({ needs_decision, sent: 1 + planned });
    expect(world.made).toHaveLength(1 + planned);
  },
);

it.each(["a worker", "runDue"])(
  "leaves few payouts to a person while the service can be read but creates nothing, with %s",
  async (how) => {
    const { world, payouts } = await opened();
    for (let n = 0; n < 30; n++) await payouts.plan({ ...order, orderId: `p${n}` });
    let isDown = true;
    world.answer = (method) =>
      isDown && method === "POST" ? new Response("unavailable", { status: 503 }) : undefined;
    await (how === "runDue"
      ? world.live(payouts, 90 * minute)
      : world.withWorker(payouts, 90 * minute));
    isDown = false;
    // The other client has seen the fake timers' clock.
    await world.live(world.open(), 10 * minute);
    const { needs_decision, sent } = (await payouts.stats()).states;
    expect(needs_decision).toBeLessThanOrEqual(6);
    expect(sent).toBe(30 - needs_decision);
    expect(world.made).toHaveLength(sent);
  },
);

it("begins one payout at a time while another is in doubt, however long its response takes", async () => {
  const world = World.inMemory();
  const store = world.store();
  let transactions = 0;
  const transaction: typeof store.transaction = (...work) => {
    transactions++;
    return store.transaction(...work);
  };
  const payouts = world.open({ store: { ...store, transaction } });
  await payouts.migrate();
  for (let n = 0; n < 10; n++) await payouts.plan({ ...order, orderId: `p${n}` });
  let requests = 0;
  world.answer = (method) =>
    method === "POST" && requests++ === 0
      ? new Response("unavailable", { status: 503 })
      : undefined;
  await payouts.runDue({ concurrency: 1 });
  world.onCreation = () => new Promise(() => {});
  const worker = payouts.start({ pollMs: 1, drainMs: 0 });
  await vi.waitFor(() => expect(requests).toBe(2));
  // Rounds go on in the meantime.
  const until = transactions + 100;
  await vi.waitFor(() => expect(transactions).toBeGreaterThan(until));
  await worker.stop();
  expect(requests).toBe(2);
});

it.each([1, 4])(
  "sends %i at once without a pause if one request in ten ends in doubt",
  async (concurrency) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { world, payouts } = await opened();
    for (let n = 0; n < 60; n++) await payouts.plan({ ...order, orderId: `p${n}` });
    let requests = 0;
    world.answer = (method) =>
      method === "POST" && requests++ % 10 === 9
        ? new Response("unavailable", { status: 503 })
        : undefined;
    // Each run ends with its first doubt, and no time passes.
    for (let run = 0; run < 10; run++) await payouts.runDue({ concurrency });
    vi.useRealTimers();
    expect((await payouts.stats()).states).toMatchObject({ sending: 6, sent: 54 });
  },
);

it("sends other payouts at once after a 409, which is about one of them", async () => {
  const { world, payouts, state } = await opened();
  await payouts.plan(order);
  await payouts.plan({ ...order, orderId: "second" });
  const conflict = () => Response.json({ code: "conflict", message: "Busy" }, { status: 409 });
  let requests = 0;
  world.answer = (method) => (method === "POST" && requests++ === 0 ? conflict() : undefined);
  await payouts.runDue({ concurrency: 1 });
  expect(await state()).toBe("sending");
  expect((await payouts.get("second"))?.state).toBe("sent");
});

it("sends what may be sent behind a batch of plans that need an approval", async () => {
  const db = new DatabaseSync(":memory:");
  const payouts = World.inMemory().open({
    store: sqlite(db) as unknown as Store,
    limits: { approveAbove: 100 },
  });
  await payouts.migrate();
  db.exec("BEGIN IMMEDIATE");
  for (let n = 0; n < 101; n++) {
    const amountInCents = n < 100 ? 101 : 100;
    payouts.plan({ ...order, orderId: `p${n}`, amountInCents }, { tx: db });
  }
  db.exec("COMMIT");
  await payouts.runDue();
  expect((await payouts.get("p100"))?.state).toBe("sent");
});

it.each(["a worker", "runDue"])(
  "tracks what was sent while new payouts wait for a readable list, with %s",
  async (how) => {
    const { world, payouts } = await opened();
    for (let n = 0; n < 20; n++) await payouts.plan({ ...order, orderId: `sent${n}` });
    await payouts.runDue();
    for (let n = 0; n < 200; n++) await payouts.plan({ ...order, orderId: `p${n}` });
    for (const { id } of world.made) await world.sandbox.withdrawals.simulate(id, "complete");
    await world.advance(minute);
    world.answer = (_, path) =>
      path.endsWith("/withdrawals") ? new Response("unavailable", { status: 503 }) : undefined;
    const restarted = world.open();
    await (how === "runDue" ? restarted.runDue() : world.withWorker(restarted, 10_000));
    expect((await restarted.stats()).states).toMatchObject({ completed: 20, planned: 200 });
    // The list was not read once for each of them.
    const tried = (await restarted.list({ state: "planned", limit: 200 })).filter(
      (it) => it.problem,
    );
    expect(tried.length).toBeLessThanOrEqual(8);
    world.answer = () => undefined;
    await world.live(restarted, 10 * minute);
    expect((await restarted.stats()).states).toMatchObject({ sent: 200 });
  },
);

it("continues with other payouts when one withdrawal cannot be read, and says so", async () => {
  const { world, payouts } = await opened();
  for (const orderId of ["missing", "read"]) {
    await payouts.plan({ ...order, orderId });
    await payouts.runDue();
    await world.advance(1);
  }
  const idOf = (orderId: string) => world.made.find((made) => made.orderId === orderId)?.id ?? "";
  await world.sandbox.withdrawals.simulate(idOf("read"), "complete");
  await world.advance(minute);
  for (let n = 0; n < 20; n++) await payouts.plan({ ...order, orderId: `p${n}` });
  world.answer = (_, path) =>
    path.endsWith(idOf("missing"))
      ? Response.json({ code: "not_found", message: "None" }, { status: 404 })
      : undefined;
  await payouts.runDue({ concurrency: 1 });
  expect((await payouts.stats()).states).toMatchObject({ sent: 21, completed: 1, planned: 0 });
  expect((await payouts.get("missing"))?.problem).toContain("None");
});

it("sends new payouts while what was sent cannot be tracked", async () => {
  const { world, payouts } = await opened();
  for (let n = 0; n < 10; n++) await payouts.plan({ ...order, orderId: `sent${n}` });
  await payouts.runDue();
  world.answer = (method, path) =>
    method === "GET" && !path.endsWith("/withdrawals")
      ? new Response("", { status: 503 })
      : undefined;
  const withPlans = {
    start() {
      for (let n = 0; n < 60; n++) {
        setTimeout(() => payouts.plan({ ...order, orderId: `p${n}` }), n * 10_000);
      }
      return payouts.start();
    },
  };
  await world.withWorker(withPlans, 10.5 * minute);
  expect((await payouts.stats()).states).toMatchObject({ sent: 70, planned: 0 });
});
