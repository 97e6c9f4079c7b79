import { describe, expect, it } from "vitest";
import { minute, opened, order } from "./world.ts";

const day = 24 * 60 * minute;

async function limited(limits: object) {
  const { world, payouts } = await opened({ limits });
  const plan = (orderId: string, amountInCents: number) =>
    payouts.plan({ ...order, orderId, amountInCents });
  return { world, payouts, plan, made: () => world.made.map(({ orderId }) => orderId) };
}

describe("a budget that no request has used", () => {
  const refused = (method: string) =>
    method === "POST" ? Response.json({ code: "x", message: "No" }, { status: 401 }) : undefined;

  it("counts towards the day of the request that uses it, however long the key was revoked", async () => {
    const { world, payouts } = await limited({ perDay: 1_000, per24Hours: 1_000 });
    world.answer = refused;
    for (let n = 0; n < 5; n++) {
      await payouts.plan({ ...order, orderId: `p${n}`, amountInCents: 1_000 });
      await payouts.runDue();
      await world.advance(day);
    }
    // Every payout then has the budget of an earlier day.
    await payouts.runDue();
    await world.advance(day);
    world.answer = () => undefined;
    await world.live(payouts, 5 * minute);
    expect(world.made).toHaveLength(1);
    expect((await payouts.stats()).takenToday).toBe(1_000);
  });

  it("does not hold back the payout that it is reserved for", async () => {
    const limits = { perDay: 1_000, per24Hours: 1_000, perRecipientAndDay: 1_000 };
    const { world, payouts, plan, made } = await limited(limits);
    world.answer = refused;
    await plan("a", 1_000);
    await payouts.runDue();
    world.answer = () => undefined;
    await world.live(payouts, 30 * minute);
    expect(made()).toEqual(["a"]);
  });

  it("is free again once a person has cancelled the payout", async () => {
    const { world, payouts, plan } = await limited({});
    world.answer = refused;
    await plan("a", 1_000);
    await payouts.runDue();
    expect((await payouts.stats()).takenToday).toBe(1_000);
    await payouts.cancel("a", { by: "ann" });
    expect((await payouts.stats()).takenToday).toBe(0);
  });

  it("is not part of what its payout waits for", async () => {
    const { world, payouts, plan } = await limited({});
    world.answer = refused;
    await plan("a", 500);
    await payouts.runDue();
    world.answer = () => undefined;
    await plan("b", 600);
    await world.advance(1);
    const sentAt = world.now;
    await payouts.runDue();
    await world.live(world.open({ limits: { per24Hours: 1_000 } }));
    expect((await payouts.get("a"))?.waitsUntil).toEqual(new Date(sentAt + day));
  });

  it("is subject to the limits of the process that sends", async () => {
    const { world, payouts } = await limited({});
    await payouts.plan(order);
    world.answer = refused;
    await payouts.runDue();
    world.answer = () => undefined;
    await world.live(world.open({ limits: { perPayout: 1 } }), 30 * minute);
    expect(world.made).toEqual([]);
  });
});
