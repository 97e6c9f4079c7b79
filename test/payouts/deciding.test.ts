import { describe, expect, it } from "vitest";
import type { Withdrawal } from "../../src/index.ts";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import { minute, opened, order, quietMs, World } from "./world.ts";

const by = { by: "ann" };

describe("the breaker", () => {
  it("stops all payouts when an order has 2 withdrawals, and reports it", async () => {
    const world = World.inMemory();
    const events: PayoutsEvent[] = [];
    const logged: string[] = [];
    const logger = { warn() {}, error: (message: string) => logged.push(message) };
    const payouts = world.open({ onEvent: (event) => events.push(event), logger });
    await payouts.migrate();
    world.fates.push("unanswered");
    await payouts.plan(order);
    await payouts.runDue();
    await world.client().withdrawals.create(order);
    await world.live(payouts, 10 * minute);
    const [a, b] = world.made.map(({ id }) => id);
    const { stopped } = await payouts.stats();
    expect(stopped?.reason).toContain(`It has 2 withdrawals: ${b}, ${a}`);
    // Which of them counts is not known.
    expect((await payouts.get(order.orderId))?.withdrawalId).toBeUndefined();
    expect(events.map(({ type }) => type)).toContain("stopped");
    expect(logged.join()).toMatch(/All payouts are stopped.*reopen/);
    await payouts.plan({ ...order, orderId: "next" });
    await world.live(payouts, 10 * minute);
    expect((await payouts.get("next"))?.state).toBe("planned");

    await expect(payouts.reopen({ ...by, reason: "" })).rejects.toThrow(/reason/);
    expect(await payouts.reopen({ ...by, reason: "paid twice by hand" })).toBe(true);
    expect(await payouts.reopen({ ...by, reason: "again" })).toBe(false);
    await payouts.runDue();
    expect((await payouts.get("next"))?.state).toBe("sent");
    const verified = await payouts.verify();
    expect(verified.ok).toBe(true);
  });

  it("also stops payouts that would be sent again", async () => {
    const world = World.inMemory();
    const payouts = world.open();
    await payouts.migrate();
    world.fates.push("lost");
    await payouts.plan(order);
    await payouts.runDue();
    await world.query("UPDATE settlekit_payout_journal SET at = 1");
    await payouts.verify();
    await world.live(payouts, 20 * minute);
    expect(world.creations).toHaveLength(1);
    await payouts.reopen({ ...by, reason: "known" });
    await world.live(payouts, minute);
    expect((await payouts.get(order.orderId))?.state).toBe("sent");
  });

  it("stops all payouts when the response or the list has other parameters", async () => {
    for (const fate of ["answered", "unanswered"] as const) {
      const world = World.inMemory();
      const payouts = world.open();
      await payouts.migrate();
      world.fates.push(fate);
      world.change = (body) => ({ ...body, amountInCents: 1_000 });
      await payouts.plan(order);
      await world.live(payouts, 10 * minute);
      expect(await payouts.get(order.orderId)).toMatchObject({
        state: "needs_decision",
        problem: expect.stringContaining("has a different amountInCents than planned"),
      });
      expect((await payouts.stats()).stopped?.reason).toContain("different amountInCents");
      expect(world.made).toHaveLength(1);
    }
  });

  it("leaves only that payout to a person", async () => {
    const limits = { approveAbove: order.amountInCents };
    const { world, payouts, state } = await opened({ limits });
    const amountInCents = order.amountInCents + 1;
    const waiting = await payouts.plan({ ...order, orderId: "waiting", amountInCents });
    world.change = (body) => ({ ...body, amountInCents: 1_000 });
    await payouts.plan(order);
    await payouts.runDue();
    expect(await state()).toBe("needs_decision");
    expect(await payouts.get("waiting")).toEqual(waiting);
  });

  it("stops all payouts when a later lookup shows that both requests took effect", async () => {
    const world = World.inMemory();
    const payouts = world.open();
    await payouts.migrate();
    world.fates.push("late");
    // Later than `quietMs` allows for.
    world.lateMs = 5 * quietMs;
    await payouts.plan(order);
    await world.live(payouts, 20 * minute);
    expect(world.made).toHaveLength(2);
    for (const { id } of world.made) await world.sandbox.withdrawals.simulate(id, "complete");
    await world.live(payouts, 20 * minute);
    expect((await payouts.stats()).stopped?.reason).toMatch(/has 2 withdrawals/);
  });
});

describe("a person's decision", () => {
  /** Two withdrawals of one order: the ledger's, whose answer was lost, and a script's. */
  async function twice() {
    const { world, payouts, state } = await opened();
    world.fates.push("unanswered");
    await payouts.plan(order);
    await payouts.runDue();
    await world.client().withdrawals.create(order);
    await world.live(payouts, 10 * minute);
    expect(await state()).toBe("needs_decision");
    const [right, other] = world.made as [Withdrawal, Withdrawal];
    return { world, payouts, state, right, other };
  }

  it("is not preempted by a webhook for one of two withdrawals", async () => {
    const { world, state, right, other } = await twice();
    for (const each of [right, other]) {
      await world.sandbox.withdrawals.simulate(each.id, "complete");
      await world.report(each.id);
      expect(await state()).toBe("needs_decision");
    }
  });

  it("about two withdrawals holds, however the other one ends", async () => {
    const { world, payouts, state, right, other } = await twice();
    await payouts.resolve(order.orderId, { ...by, withdrawalId: right.id });
    await payouts.reopen({ ...by, reason: "a script paid it, too" });
    await world.sandbox.withdrawals.simulate(other.id, "process");
    await world.report(other.id);
    await world.sandbox.withdrawals.simulate(right.id, "complete");
    await world.live(payouts, 30 * minute);
    await world.sandbox.withdrawals.simulate(other.id, "fail");
    await world.report(other.id);
    expect(await state()).toBe("completed");
    expect((await payouts.stats()).stopped).toBeUndefined();
    expect((await payouts.verify()).ok).toBe(true);
  });

  it("does not cover a third withdrawal", async () => {
    const { world, payouts, state, right } = await twice();
    await payouts.resolve(order.orderId, { ...by, withdrawalId: right.id });
    await payouts.reopen({ ...by, reason: "a script paid it, too" });
    const { id } = await world.client().withdrawals.create(order);
    await world.report(id);
    expect(await state()).toBe("needs_decision");
    expect((await payouts.stats()).stopped).toBeDefined();
  });

  it("to accept differences holds while the withdrawal is pending", async () => {
    const { world, payouts, state } = await opened();
    world.change = (body) => ({ ...body, amountInCents: 12_400 });
    await payouts.plan(order);
    await payouts.runDue();
    const [{ id }] = world.made as [Withdrawal];
    await payouts.resolve(order.orderId, { ...by, withdrawalId: id, acceptDifferences: true });
    await payouts.reopen({ ...by, reason: "the service took its fee" });
    await world.live(payouts, 10 * minute);
    expect(await state()).toBe("sent");
    await world.sandbox.withdrawals.simulate(id, "complete");
    await world.live(payouts, 10 * minute);
    expect(await state()).toBe("completed");
    expect((await payouts.stats()).stopped).toBeUndefined();
  });

  it("can be that the withdrawal belongs to another system", async () => {
    const { world, payouts, state } = await opened({ lookFirst: true });
    const other = { ...order, amountInCents: 700 };
    const foreign = await world.client().withdrawals.create(other);
    await payouts.plan(order);
    await payouts.runDue();
    expect(await state()).toBe("needs_decision");
    const neverSent = { ...by, neverSent: true } as const;
    await expect(payouts.resolve(order.orderId, neverSent)).rejects.toMatchObject({
      code: "contradicted",
    });
    await payouts.resolve(order.orderId, { ...neverSent, sendAgain: false });
    await payouts.reopen({ ...by, reason: "prefixes" });
    await world.report(foreign.id);
    expect(await state()).toBe("cancelled");
    expect((await payouts.stats()).stopped).toBeUndefined();
  });

  it("can accept a response with another orderId", async () => {
    const { world, payouts } = await opened();
    world.change = (body) => ({ ...body, orderId: "another" });
    await payouts.plan(order);
    await payouts.runDue();
    const [{ id: withdrawalId }] = world.made as [Withdrawal];
    const sent = { ...by, withdrawalId, acceptDifferences: true };
    expect(await payouts.resolve(order.orderId, sent)).toMatchObject({ state: "sent" });
  });

  it("cannot cancel a payout with a request in doubt, whatever its row says", async () => {
    const { world, payouts } = await opened();
    world.fates.push("lost");
    await payouts.plan(order);
    await payouts.runDue();
    world.query("UPDATE settlekit_payouts SET state = 'planned'");
    await expect(payouts.cancel(order.orderId, by)).rejects.toMatchObject({
      code: "wrong_state",
      message: expect.stringContaining("while the outcome of a request for it is unknown"),
    });
  });

  it("cannot cancel a payout that the journal shows as sent", async () => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    await payouts.runDue();
    // A backup of these two tables was restored.
    world.query(`UPDATE settlekit_payouts SET state = 'planned', withdrawal_id = NULL, lease_until = 0;
DELETE FROM settlekit_payout_attempts`);
    await expect(payouts.cancel(order.orderId, by)).rejects.toMatchObject({
      code: "wrong_state",
      message: expect.stringContaining("Restore the row"),
    });
  });
});
