import { describe, expect, it } from "vitest";
import { inLedger } from "../../src/payouts/journal.ts";
import { settle } from "../../src/payouts/settle.ts";
import { minute, opened, order } from "./world.ts";

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

  it("sends again at once after neverSent, even if the service asked to wait", async () => {
    const { world, payouts } = await opened();
    const headers = { "retry-after": "600" };
    world.answer = (method) =>
      method === "POST" ? new Response("", { status: 503, headers }) : undefined;
    await payouts.plan(order);
    await payouts.runDue();
    world.answer = () => undefined;
    await world.advance(5 * minute);
    expect(await payouts.runDue()).toBe(0);
    await payouts.resolve(order.orderId, { ...by, neverSent: true });
    await payouts.runDue();
    expect((await payouts.get(order.orderId))?.state).toBe("sent");
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

  it("refuses neverSent if a webhook reports a withdrawal while the list is read", async () => {
    const { world, payouts } = await inDoubt();
    const late = await world.client().withdrawals.create({ ...order, amountInCents: 500 });
    world.lagMs = hour;
    world.answer = () => {
      const work = () => inLedger("", (ledger) => settle(ledger, order.orderId, late));
      void world.store().transaction(work);
      return undefined;
    };
    const never = payouts.resolve(order.orderId, { ...by, neverSent: true });
    await expect(never).rejects.toMatchObject({ code: "contradicted" });
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

  it("refuses a decision that was made against another service", async () => {
    const { world, payouts } = await inDoubt();
    const other = world.open({ client: { idempotencyNamespace: "other" } });
    const resolving = other.resolve(order.orderId, { ...by, neverSent: true });
    const message = expect.not.stringContaining("plan it again");
    await expect(resolving).rejects.toMatchObject({ code: "other_service", message });
    expect((await payouts.get(order.orderId))?.state).toBe("needs_decision");
  });
});
