import { describe, expect, it, onTestFinished } from "vitest";
import type { ClientOptions } from "../../src/index.ts";
import { databases } from "../databases.ts";
import { minute, opened, order, World } from "./world.ts";

const by = { by: "ann" };
const next = { ...order, orderId: "payout_2" };

/** A client with the second merchant's key. */
const otherOf = ({ sandbox }: World) => ({ secretKey: sandbox.merchants[1]?.secretKey });

/** A client with a new key of the first merchant. */
const rotatedOf = ({ sandbox }: World): ClientOptions => ({
  secretKey: "sk_test_rotated",
  fetch(url, init) {
    const headers = new Headers(init?.headers);
    for (const [name, value] of headers) {
      if (value === "sk_test_rotated") headers.set(name, sandbox.secretKey);
    }
    const { signal: _, ...rest } = init as RequestInit;
    return sandbox.fetch(new Request(url as string, { ...rest, headers }));
  },
});

const refused = (text: string) =>
  expect.objectContaining({ code: "other_merchant", message: expect.stringContaining(text) });

describe.each(databases)("on %s, a ledger with another merchant's client", (_, openDatabase) => {
  async function worldOn() {
    const database = await openDatabase();
    onTestFinished(() => database.close());
    const world = await World.on(database);
    const payouts = world.open();
    await payouts.migrate();
    return { world, payouts };
  }

  it("does not send again what the right one may have sent", async () => {
    const { world, payouts } = await worldOn();
    world.fates.push("unanswered");
    await payouts.plan(order);
    await payouts.runDue();
    const errors: unknown[] = [];
    const onEvent = (event: object) => errors.push("error" in event ? event.error : event);
    const other = world.open({ client: otherOf(world), onEvent });
    await world.live(other, 20 * minute);
    expect(errors).toContainEqual(refused("was sent with another key"));
    expect(world.made).toHaveLength(1);
    expect((await payouts.get(order.orderId))?.state).toBe("sending");
    await world.live(payouts, 20 * minute);
    expect(await payouts.get(order.orderId)).toMatchObject({
      state: "sent",
      withdrawalId: world.made[0]?.id,
    });
    expect(await payouts.verify()).toMatchObject({ ok: true });
  });

  it("sends nothing at all once the merchant is known", async () => {
    const { world, payouts } = await worldOn();
    await payouts.plan(order);
    await payouts.runDue();
    await payouts.plan(next);
    const other = world.open({ client: otherOf(world) });
    await world.live(other, 20 * minute);
    expect(world.made).toHaveLength(1);
    expect(await payouts.get(next.orderId)).toMatchObject({
      state: "planned",
      problem: expect.stringContaining("to a merchant without withdrawals"),
    });
    await world.client(otherOf(world)).withdrawals.create({ ...order, orderId: "own" });
    await world.live(other, 20 * minute);
    expect((await payouts.get(next.orderId))?.problem).toContain(
      `to the merchant ${world.sandbox.merchants[1]?.merchantId}`,
    );
    await world.live(payouts, 20 * minute);
    expect((await payouts.get(next.orderId))?.state).toBe("sent");
  });

  it("sends nothing if it has read its own list before the merchant was known", async () => {
    const { world, payouts } = await worldOn();
    await payouts.plan(order);
    const other = world.open({ client: otherOf(world), limits: { perRecipientAndDay: 10_000 } });
    await other.runDue();
    // Its limits hold the payout back for some minutes.
    await world.advance(15 * minute);
    await payouts.runDue();
    const recipientAddress = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
    await payouts.plan({ ...next, recipientAddress, amountInCents: 100 });
    await other.runDue();
    expect(world.made.map(({ orderId }) => orderId)).toEqual([order.orderId]);
  });
});

it("sends nothing with the key of a lost request once a response has shown another merchant", async () => {
  const { world, payouts } = await opened();
  const other = world.open({ client: otherOf(world) });
  world.fates.push("lost");
  await payouts.plan(order);
  await other.runDue();
  await payouts.plan(next);
  await payouts.runDue();
  await payouts.plan({ ...order, orderId: "payout_3" });
  await world.live(other, 20 * minute);
  expect(world.made.map(({ orderId }) => orderId)).toEqual([next.orderId]);
});

describe("a new key of the same merchant", () => {
  it("is recognised by the list", async () => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    await payouts.runDue();
    world.fates.push("lost");
    await payouts.plan(next);
    await payouts.runDue();
    await payouts.plan({ ...order, orderId: "payout_3" });
    const rotated = world.open({ client: rotatedOf(world) });
    await world.live(rotated, 20 * minute);
    expect((await payouts.stats()).states.sent).toBe(3);
    expect(world.made).toHaveLength(3);
  });

  it("pays other payouts while no response has shown the merchant", async () => {
    const { world, payouts } = await opened();
    world.fates.push("lost");
    await payouts.plan(order);
    await payouts.runDue();
    await payouts.plan(next);
    await world.advance(minute);
    await world.open({ client: rotatedOf(world) }).runDue();
    expect((await payouts.get(next.orderId))?.state).toBe("sent");
  });

  it.each(["lost", 429])(
    "leaves a payout to a person if no response has shown the merchant: %s",
    async (fate) => {
      const { world, payouts, state } = await opened();
      world.fates.push("lost");
      const limited = () => Response.json({ code: "x", message: "No" }, { status: 429 });
      world.answer = (method) => (fate === 429 && method === "POST" ? limited() : undefined);
      await payouts.plan(order);
      await payouts.runDue();
      const rotated = world.open({ client: rotatedOf(world) });
      await world.live(rotated, 90 * minute);
      expect(await payouts.get(order.orderId)).toMatchObject({
        state: "needs_decision",
        problem: expect.stringContaining("was sent with another key"),
      });
      await rotated.resolve(order.orderId, { ...by, neverSent: true });
      await world.live(rotated, minute);
      expect(await state()).toBe("sent");
      expect(world.made).toHaveLength(1);
    },
  );

  it("sends again what an older version of settlekit sent", async () => {
    const { world, payouts, state } = await opened();
    world.fates.push("lost");
    await payouts.plan(order);
    await payouts.runDue();
    world.query("UPDATE settlekit_payout_attempts SET sender = NULL");
    await world.live(world.open({ client: rotatedOf(world) }), 20 * minute);
    expect(await state()).toBe("sent");
    expect(world.made).toHaveLength(1);
  });

  it("may come from a function", async () => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    await payouts.runDue();
    await payouts.plan(next);
    const keys: (string | undefined)[] = [];
    const secretKey = () => {
      keys.push(otherOf(world).secretKey);
      return String(keys.at(-1));
    };
    await world.live(world.open({ client: { secretKey } }), minute);
    expect(keys).not.toEqual([]);
    expect(world.made).toHaveLength(1);
    await world.live(world.open({ client: { secretKey: () => world.sandbox.secretKey } }), minute);
    expect(world.made).toHaveLength(2);
  });
});

it("a new token of a dashboard needs no proof, because its merchant is known", async () => {
  const world = World.inMemory();
  const { merchantId, accessToken } = world.sandbox;
  const payouts = world.open({ ledger: world.client().dashboard({ merchantId, accessToken }) });
  await payouts.migrate();
  world.fates.push("lost");
  await payouts.plan(order);
  await payouts.runDue();
  const client = world.client({
    fetch(url, init) {
      const headers = new Headers(init.headers);
      expect(headers.get("authorization")).toBe("Bearer new");
      headers.set("authorization", `Bearer ${accessToken}`);
      const { signal: _, ...rest } = init as RequestInit;
      return world.sandbox.fetch(new Request(url, { ...rest, headers }));
    },
  });
  const renewed = world.open({ ledger: client.dashboard({ merchantId, accessToken: "new" }) });
  await world.live(renewed, 20 * minute);
  expect((await renewed.get(order.orderId))?.state).toBe("sent");
  expect(world.made).toHaveLength(1);
});

describe("a withdrawal of another merchant", () => {
  it("stops all payouts, until a person accepts it", async () => {
    const { world, payouts, state } = await opened();
    await payouts.plan(order);
    await payouts.runDue();
    // Two processes with different merchants' keys began at the same moment.
    world.query("UPDATE settlekit_payout_heads SET merchant_id = 'merchant_b'");
    await payouts.plan({ ...order, orderId: "payout_2" });
    await payouts.runDue();
    const { problem, state: left } = (await payouts.get("payout_2")) ?? {};
    expect(left).toBe("needs_decision");
    expect(problem).toContain("has a different merchantId than planned");
    expect((await payouts.stats()).stopped?.reason).toContain("merchantId");
    expect(await state()).toBe("sent");
    const [id = ""] = world.made.filter((it) => it.orderId === "payout_2").map((it) => it.id);
    const found = { ...by, withdrawalId: id };
    await expect(payouts.resolve("payout_2", found)).rejects.toThrow(/different merchantId/);
    const resolved = await payouts.resolve("payout_2", { ...found, acceptDifferences: true });
    expect(resolved.state).toBe("sent");
  });

  it("does not prove that a payout was never sent", async () => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    await payouts.runDue();
    world.fates.push("unanswered");
    await payouts.plan(next);
    await payouts.runDue();
    await world.advance(20 * minute);
    const other = world.open({ client: otherOf(world) });
    const never = { ...by, neverSent: true, sendAgain: false } as const;
    await expect(other.resolve(next.orderId, never)).rejects.toEqual(refused("belong to"));
  });

  it("is recognised by a dashboard's client before it is made", async () => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    await payouts.runDue();
    await payouts.plan(next);
    const dashboardOf = (index: number) => {
      const { merchantId = "", accessToken = "" } = world.sandbox.merchants[index] ?? {};
      return world.client().dashboard({ merchantId, accessToken });
    };
    await world.live(world.open({ ledger: dashboardOf(1) }), minute);
    expect(world.made).toHaveLength(1);
    await world.live(world.open({ ledger: dashboardOf(0) }), minute);
    expect(world.made).toHaveLength(2);
  });
});
