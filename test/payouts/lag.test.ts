import { describe, expect, it } from "vitest";
import { databases } from "../databases.ts";
import { minute, order, World } from "./world.ts";

const limits = { perDay: 30_000, approveAbove: 20_000 };

describe.each(databases)("the lag of a ledger on %s", (_, openDatabase) => {
  it("grows while no worker takes what is due", async () => {
    const database = await openDatabase();
    const world = await World.on(database);
    const payouts = world.open({ limits });
    await payouts.migrate();
    const lagMs = async () => (await payouts.stats()).lagMs;
    await payouts.plan(order);
    await world.advance(10 * minute);
    expect(await lagMs()).toBeGreaterThanOrEqual(10 * minute);
    await payouts.runDue();
    expect(await lagMs()).toBe(0);
    // Now its withdrawal has to be followed.
    await world.advance(60 * minute);
    expect(await lagMs()).toBeGreaterThan(30 * minute);
    await database.close();
  });

  it("leaves out payouts that wait for an approval, the limits or the breaker", async () => {
    const database = await openDatabase();
    const world = await World.on(database);
    const payouts = world.open({ limits });
    await payouts.migrate();
    for (const [orderId, amountInCents] of [
      ["approved_by_nobody", 25_000],
      ["within_limits", 20_000],
      ["above_limits", 15_000],
    ] as const) {
      await payouts.plan({ ...order, orderId, amountInCents });
    }
    await payouts.runDue({ concurrency: 1 });
    expect((await payouts.get("above_limits"))?.waitsUntil).toBeDefined();
    await world.advance(1_000);
    expect((await payouts.stats()).lagMs).toBe(0);
    // The command line knows no limits.
    expect((await world.open().stats()).lagMs).toBe(0);
    await payouts.plan({ ...order, orderId: "stopped", amountInCents: 100 });
    await payouts.stopAll({ by: "ann", reason: "a test" });
    await world.advance(1);
    expect((await payouts.stats()).lagMs).toBe(0);
    await payouts.reopen({ by: "ann", reason: "a test" });
    expect((await payouts.stats()).lagMs).toBeGreaterThan(0);
    await database.close();
  });
});
