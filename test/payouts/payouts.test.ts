import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { databases, type TestDatabase } from "../databases.ts";
import { minute, order, quietMs, World } from "./world.ts";

describe.each(databases)("payouts on %s", (_, openDatabase) => {
  let database: TestDatabase;
  let world: World;
  beforeEach(async () => {
    database = await openDatabase();
    world = await World.on(database);
    await world.open().migrate();
  });
  afterEach(() => database.close());

  it("sends a planned payout, and soon sees it completed", async () => {
    const payouts = world.open();
    expect(await payouts.plan(order, { by: "shop" })).toMatchObject({
      ...order,
      state: "planned",
      attempts: 0,
      plannedBy: "shop",
    });
    await payouts.runDue();
    const [withdrawal] = world.made;
    expect(await payouts.get(order.orderId)).toMatchObject({
      state: "sent",
      attempts: 1,
      withdrawalId: withdrawal?.id,
      sentAt: new Date(world.now),
    });
    await world.sandbox.withdrawals.simulate(withdrawal?.id ?? "", "complete");
    await world.advance(5_000);
    await payouts.runDue();
    expect(await payouts.get(order.orderId)).toMatchObject({
      state: "completed",
      transactionHash: expect.stringMatching(/^0x/),
    });
    const events: string[] = [];
    for await (const { event } of payouts.journal()) events.push(event);
    expect(events).toEqual(["planned", "sending", "sent", "completed"]);
    expect(await payouts.verify()).toEqual({ ok: true, entries: 4 });
  });

  it("waits for the quiet time after an unknown outcome, then finds the withdrawal", async () => {
    const payouts = world.open();
    world.fates.push("unanswered");
    await payouts.plan(order);
    await payouts.runDue();
    expect(await payouts.get(order.orderId)).toMatchObject({ state: "sending" });
    expect(world.listings).toHaveLength(1);
    await world.live(payouts, 2 * quietMs);
    expect(await payouts.get(order.orderId)).toMatchObject({
      state: "sent",
      withdrawalId: world.made[0]?.id,
      attempts: 1,
    });
    expect(world.made).toHaveLength(1);
  });

  it("stores the service's error message without the NUL that PostgreSQL rejects", async () => {
    const payouts = world.open();
    await payouts.plan(order);
    await payouts.runDue();
    const failed = { ...world.made[0], status: "failed", errorMessage: "a\0b" };
    world.answer = (method) => (method === "GET" ? Response.json(failed) : undefined);
    await world.live(payouts, minute);
    expect(await payouts.get(order.orderId)).toMatchObject({ state: "failed", problem: "ab" });
  });

  it("sends again when a complete lookup after the quiet times finds no withdrawal", async () => {
    const payouts = world.open();
    world.fates.push("lost");
    await payouts.plan(order);
    await world.live(payouts);
    expect(await payouts.get(order.orderId)).toMatchObject({ state: "sent", attempts: 2 });
    expect(world.made).toHaveLength(1);
    const [first, second] = world.creations;
    expect(second?.key).toBe(first?.key);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2 * quietMs);
  });
});
