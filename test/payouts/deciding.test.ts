import { describe, expect, it } from "vitest";
import type { Withdrawal } from "../../src/index.ts";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import { inLedger } from "../../src/payouts/journal.ts";
import { settle } from "../../src/payouts/settle.ts";
import { minute, opened, order, quietMs, World } from "./world.ts";

const by = { by: "ann" };
const hour = 60 * minute;

/** A ledger with a payout whose outcome has been unknown for too long. */
async function inDoubt() {
  const { world, payouts } = await opened();
  world.fates.push(...Array<"lost">(99).fill("lost"));
  await payouts.plan(order);
  await world.live(payouts, 75 * minute);
  expect((await payouts.get(order.orderId))?.state).toBe("needs_decision");
  world.fates.length = 0;
  return { world, payouts };
}

describe("resolve", () => {
  it("accepts the withdrawal that a person found", async () => {
    const { world, payouts } = await inDoubt();
    const { id } = await world.client().withdrawals.create(order);
    const resolved = await payouts.resolve(order.orderId, { ...by, withdrawalId: id });
    expect(resolved).toMatchObject({ state: "sent", withdrawalId: id });
    await world.sandbox.withdrawals.simulate(id, "complete");
    await world.live(payouts, 10 * minute);
    expect((await payouts.get(order.orderId))?.state).toBe("completed");
    expect(world.made).toHaveLength(1);
  });

  it("refuses a withdrawal of another order or with other parameters", async () => {
    const { world, payouts } = await inDoubt();
    const other = await world.client().withdrawals.create({ ...order, orderId: "other" });
    const less = await world.client().withdrawals.create({ ...order, amountInCents: 500 });
    const resolve = (withdrawalId: string, more = {}) =>
      payouts.resolve(order.orderId, { ...by, withdrawalId, ...more });
    const contradicted = (text: string) =>
      expect.objectContaining({ code: "contradicted", message: expect.stringContaining(text) });
    await expect(resolve(other.id)).rejects.toEqual(contradicted("does not belong to the order"));
    await expect(resolve(less.id)).rejects.toEqual(contradicted("different amountInCents"));
    await expect(resolve("unknown")).rejects.toEqual(
      expect.objectContaining({ name: "NotFoundError" }),
    );
    expect((await payouts.get(order.orderId))?.state).toBe("needs_decision");
    expect(await resolve(less.id, { acceptDifferences: true })).toMatchObject({ state: "sent" });
  });

  it("sends again after neverSent, but only after another complete lookup", async () => {
    const { world, payouts } = await inDoubt();
    const resolved = await payouts.resolve(order.orderId, { ...by, neverSent: true });
    expect(resolved).toMatchObject({ state: "planned" });
    expect((await payouts.stats()).takenToday).toBe(0);
    const listings = world.listings.length;
    await payouts.runDue();
    expect(world.listings.length).toBe(listings + 1);
    expect((await payouts.get(order.orderId))?.state).toBe("sent");
    expect(world.made).toHaveLength(1);
  });

  it("cancels the payout with neverSent and sendAgain: false", async () => {
    const { world, payouts } = await inDoubt();
    const never = { ...by, neverSent: true, sendAgain: false } as const;
    const ended = await payouts.resolve(order.orderId, never);
    const problem = "ann decided that it was never sent.";
    expect(ended).toMatchObject({ state: "cancelled", problem });
    await world.live(payouts, hour, 10 * minute);
    expect(world.made).toEqual([]);
  });

  it.each(["withdrawalId", "neverSent"])("changes no other payout, with %s", async (finding) => {
    const { world, payouts } = await inDoubt();
    const other = await payouts.plan({ ...order, orderId: "other" });
    if (finding === "withdrawalId") {
      const { id } = await world.client().withdrawals.create(order);
      await payouts.resolve(order.orderId, { ...by, withdrawalId: id });
    } else await payouts.resolve(order.orderId, { ...by, neverSent: true });
    expect(await payouts.get("other")).toEqual(other);
  });

  it("refuses neverSent when the list shows a withdrawal", async () => {
    const { world, payouts } = await inDoubt();
    const { id } = await world.client().withdrawals.create(order);
    const never = payouts.resolve(order.orderId, { ...by, neverSent: true });
    await expect(never).rejects.toEqual(
      expect.objectContaining({ code: "contradicted", message: expect.stringContaining(id) }),
    );
  });

  it("refuses neverSent if a worker took the payout while the list was read", async () => {
    const { world, payouts } = await inDoubt();
    world.answer = (method) => {
      if (method === "GET") world.query("UPDATE settlekit_payouts SET fence = fence + 1");
      return undefined;
    };
    const never = payouts.resolve(order.orderId, { ...by, neverSent: true });
    await expect(never).rejects.toThrow(/A worker processed the payout in the meantime/);
    expect((await payouts.get(order.orderId))?.state).toBe("needs_decision");
  });

  it("refuses neverSent while it is too early to tell, and after the payout was sent", async () => {
    const { world, payouts } = await opened();
    world.fates.push("lost");
    await payouts.plan(order);
    await payouts.runDue();
    const resolve = (how: object = { ...by, neverSent: true }) =>
      payouts.resolve(order.orderId, how as never);
    await expect(resolve()).rejects.toThrow(/may still take effect.*Try again after 2026-/);
    await expect(resolve(by)).rejects.toThrow(/pass either/);
    await expect(resolve({ neverSent: true })).rejects.toThrow(/by/);
    await world.live(payouts, 10 * minute);
    await expect(resolve()).rejects.toMatchObject({ code: "wrong_state" });
  });
});

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

  /** Settles the order as a webhook for the withdrawal would. */
  async function tell(world: World, { id }: Withdrawal): Promise<void> {
    const now = await world.client().withdrawals.get(id);
    await world
      .store()
      .transaction(() => inLedger("", (ledger) => settle(ledger, order.orderId, now)));
  }

  it("is not preempted by a webhook for one of two withdrawals", async () => {
    const { world, state, right, other } = await twice();
    for (const each of [right, other]) {
      await world.sandbox.withdrawals.simulate(each.id, "complete");
      await tell(world, each);
      expect(await state()).toBe("needs_decision");
    }
  });

  it("about two withdrawals holds, however the other one ends", async () => {
    const { world, payouts, state, right, other } = await twice();
    await payouts.resolve(order.orderId, { ...by, withdrawalId: right.id });
    await payouts.reopen({ ...by, reason: "a script paid it, too" });
    await world.sandbox.withdrawals.simulate(other.id, "process");
    await tell(world, other);
    await world.sandbox.withdrawals.simulate(right.id, "complete");
    await world.live(payouts, 30 * minute);
    await world.sandbox.withdrawals.simulate(other.id, "fail");
    await tell(world, other);
    expect(await state()).toBe("completed");
    expect((await payouts.stats()).stopped).toBeUndefined();
    expect((await payouts.verify()).ok).toBe(true);
  });

  it("does not cover a third withdrawal", async () => {
    const { world, payouts, state, right } = await twice();
    await payouts.resolve(order.orderId, { ...by, withdrawalId: right.id });
    await payouts.reopen({ ...by, reason: "a script paid it, too" });
    await tell(world, await world.client().withdrawals.create(order));
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
    await tell(world, foreign);
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

  it("is refused when it was made against another service", async () => {
    const { world, payouts } = await inDoubt();
    const other = world.open({ client: { idempotencyNamespace: "other" } });
    const resolving = other.resolve(order.orderId, { ...by, neverSent: true });
    const message = expect.not.stringContaining("plan it again");
    await expect(resolving).rejects.toMatchObject({ code: "other_service", message });
    expect((await payouts.get(order.orderId))?.state).toBe("needs_decision");
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
