import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { minute, order, World } from "./world.ts";

const by = { by: "ann" };

/** Two merchants' ledgers in one database. */
async function merchants(options: Parameters<World["open"]>[0] = {}) {
  const world = World.inMemory();
  const [a, b] = world.sandbox.merchants.map(({ merchantId, secretKey }) =>
    world.open({ tenant: merchantId, client: { secretKey }, ...options }),
  );
  if (!a || !b) throw new Error("The sandbox has two merchants.");
  await a.migrate();
  return { world, a, b };
}

it("pays each merchant's payouts from its own account, even with equal order ids", async () => {
  const { world, a, b } = await merchants();
  await a.plan(order);
  await b.plan({ ...order, amountInCents: 700 });
  await a.runDue();
  expect(world.made).toHaveLength(1);
  expect((await b.get(order.orderId))?.state).toBe("planned");
  await b.runDue();
  const [first, second] = world.sandbox.merchants.map(({ merchantId }) => merchantId);
  expect(world.made).toMatchObject([
    { merchantId: first, amountInCents: order.amountInCents },
    { merchantId: second, amountInCents: 700 },
  ]);
  for (const [ledger, made] of [
    [a, world.made[0]],
    [b, world.made[1]],
  ] as const) {
    expect(await ledger.list()).toMatchObject([{ state: "sent", withdrawalId: made?.id }]);
    expect(await ledger.list({ state: "planned" })).toEqual([]);
    expect(await ledger.verify()).toEqual({ ok: true, entries: 3 });
  }
});

it.each(["perDay", "per24Hours", "perRecipientAndDay"])(
  "gives each merchant its own %s",
  async (limit) => {
    const { a, b } = await merchants({ limits: { [limit]: order.amountInCents } });
    await a.plan(order);
    await a.runDue();
    const used = { takenToday: order.amountInCents, taken24Hours: order.amountInCents };
    expect(await a.stats()).toMatchObject(used);
    expect(await b.stats()).toMatchObject({ takenToday: 0, taken24Hours: 0, entries: 0 });
    await b.plan(order);
    await b.runDue();
    expect((await b.get(order.orderId))?.state).toBe("sent");
    expect(await b.stats()).toMatchObject(used);
  },
);

it("holds a payout until its own merchant's budget is free again", async () => {
  const { world, a, b } = await merchants({ limits: { per24Hours: order.amountInCents } });
  await a.plan(order);
  await a.runDue();
  await world.advance(60 * minute);
  const sentAt = world.now;
  for (const orderId of ["sent", "waiting"]) {
    await b.plan({ ...order, orderId });
    await b.runDue();
  }
  const waitsUntil = new Date(sentAt + 24 * 60 * minute);
  expect(await b.get("waiting")).toMatchObject({ waitsUntil });
});

/** Both have sent a payout. */
async function active() {
  const { world, a, b } = await merchants();
  for (const ledger of [a, b]) await ledger.plan(order);
  for (const ledger of [a, b]) await ledger.runDue();
  const stopped = () => Promise.all([a, b].map(async (it) => !!(await it.stats()).stopped));
  return { world, a, b, stopped };
}

it("stops and reopens each merchant's payouts separately", async () => {
  const { world, a, b, stopped } = await active();
  await a.stopAll({ ...by, reason: "an audit" });
  expect(await stopped()).toEqual([true, false]);
  await b.stopAll({ ...by, reason: "an audit" });
  await a.reopen({ ...by, reason: "it is over" });
  expect(await stopped()).toEqual([false, true]);
  for (const ledger of [a, b]) await ledger.plan({ ...order, orderId: "next" });
  for (const ledger of [a, b]) await world.live(ledger, 5 * minute);
  expect((await a.get("next"))?.state).toBe("sent");
  expect((await b.get("next"))?.state).toBe("planned");
});

it.each([
  ["lost", "DELETE FROM settlekit_payout_heads"],
  ["old", "UPDATE settlekit_payout_heads SET seq = 1"],
])("stops one merchant's payouts alone if the end of its journal is %s", async (_, damage) => {
  const { world, a, b, stopped } = await active();
  world.query(`${damage} WHERE tenant = '${world.sandbox.merchants[0]?.merchantId}'`);
  for (const ledger of [a, b]) await ledger.plan({ ...order, orderId: "next" });
  for (const ledger of [a, b]) await world.live(ledger, 5 * minute);
  expect(await stopped()).toEqual([true, false]);
  expect((await b.get("next"))?.state).toBe("sent");
  expect((await b.verify()).ok).toBe(true);
});

it("decides, cancels and settles one merchant's payout alone", async () => {
  const { world, a, b } = await merchants({ limits: { approveAbove: 100 } });
  for (const ledger of [a, b]) {
    await ledger.plan(order);
    await ledger.plan({ ...order, orderId: "second" });
  }
  await a.approve(order.orderId, by);
  await a.cancel("second", by);
  for (const ledger of [a, b]) await world.live(ledger, 5 * minute);
  const [made] = world.made;
  await world.sandbox.withdrawals.simulate(made?.id ?? "", "complete");
  for (const ledger of [a, b]) await world.live(ledger, 5 * minute);
  expect((await a.stats()).states).toMatchObject({ completed: 1, cancelled: 1, planned: 0 });
  expect((await b.stats()).states).toMatchObject({ completed: 0, cancelled: 0, planned: 2 });
  expect((await a.stats()).lagMs).toBe(0);
});

it("leaves a plan from a transaction of one merchant to that merchant's worker", async () => {
  const db = new DatabaseSync(":memory:");
  const { a, b } = await merchants({ store: sqlite(db) as unknown as Store });
  db.exec("BEGIN IMMEDIATE");
  b.plan(order, { tx: db });
  db.exec("COMMIT");
  await a.runDue();
  expect(await a.verify()).toEqual({ ok: true, entries: 0 });
  await b.runDue();
  expect((await b.get(order.orderId))?.state).toBe("sent");
});

it("reads each merchant's list back to where that merchant's was last read", async () => {
  const { world, a, b } = await merchants();
  // Both journals have entries.
  for (const ledger of [a, b]) await ledger.stopAll({ ...by, reason: "an audit" });
  for (const ledger of [a, b]) await ledger.reopen({ ...by, reason: "it is over" });
  const [first, second] = world.sandbox.merchants.map(({ secretKey }) =>
    world.client({ secretKey }),
  );
  await second?.withdrawals.create(order);
  await world.sandbox.clock.advance(60 * minute);
  for (const client of [first, second]) {
    await client?.withdrawals.create({ ...order, orderId: "another program's" });
  }
  for (const ledger of [a, b]) await ledger.plan(order);
  await a.runDue();
  await b.runDue();
  expect(await b.get(order.orderId)).toMatchObject({ withdrawalId: world.made[0]?.id });
  expect(world.made).toHaveLength(4);
});

it("ends each merchant's waits alone after the database's clock was ahead", async () => {
  const reported: string[] = [];
  const onEvent = (event: PayoutsEvent) => {
    if (event.type === "failed") reported.push(`${event.tenant}: ${event.error}`);
  };
  const { world, a, b } = await merchants({ onEvent });
  const month = 30 * 24 * 60 * minute;
  await world.advance(month);
  for (const ledger of [a, b]) await ledger.plan(order);
  for (const ledger of [a, b]) await ledger.runDue();
  await world.advance(-month);
  for (const ledger of [a, b]) await ledger.runDue();
  const [first, second] = world.sandbox.merchants.map(({ merchantId }) => merchantId);
  expect(reported).toEqual([
    expect.stringMatching(new RegExp(`^${first}: .*are due now \\(1\\)`)),
    expect.stringMatching(new RegExp(`^${second}: .*are due now \\(1\\)`)),
  ]);
});

it("counts each merchant's payouts for the day on which the clock was set back alone", async () => {
  const { world, a, b } = await merchants();
  const day = 24 * 60 * minute;
  await world.advance(30 * day);
  for (const ledger of [a, b]) await ledger.plan(order);
  for (const ledger of [a, b]) await ledger.runDue();
  await world.advance(-30 * day);
  await a.runDue();
  await world.advance(day);
  expect((await a.stats()).takenToday).toBe(0);
  // Its own worker has not run since.
  expect((await b.stats()).takenToday).toBe(order.amountInCents);
});
