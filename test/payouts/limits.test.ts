import fc from "fast-check";
import { expect, it } from "vitest";
import type { Payout, PayoutsEvent } from "../../src/payouts/index.ts";
import { minute, order, World } from "./world.ts";

const other = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
const day = 24 * 60 * minute;

async function opened(limits: object) {
  const world = World.inMemory();
  const events: PayoutsEvent[] = [];
  const payouts = world.open({ limits, onEvent: (event) => events.push(event) });
  await payouts.migrate();
  const plan = (
    orderId: string,
    amountInCents: number,
    recipientAddress = order.recipientAddress,
  ) => payouts.plan({ ...order, orderId, amountInCents, recipientAddress }, { by: "bob" });
  return { world, payouts, plan, events, made: () => world.made.map(({ orderId }) => orderId) };
}

it("refuses to plan a payout that the limits can never allow", async () => {
  const limits = { perPayout: 500, perDay: 400, per24Hours: 300, perRecipientAndDay: 200 };
  const { plan, payouts } = await opened({ ...limits, recipients: [order.recipientAddress] });
  for (const [amount, name] of [
    [501, "perPayout"],
    [401, "perDay"],
    [301, "per24Hours"],
    [201, "perRecipientAndDay"],
  ] as const) {
    await expect(plan("a", amount)).rejects.toEqual(
      expect.objectContaining({ code: "over_limit", message: expect.stringContaining(name) }),
    );
  }
  // To split the payout would evade the limit.
  await expect(plan("a", 501)).rejects.toThrow(
    "Check the amount. If it is right, raise the limit, and have large payouts approved",
  );
  await expect(plan("a", 100, other)).rejects.toThrow(/is not in limits.recipients/);
  expect(await payouts.list()).toEqual([]);
});

it("refuses unknown and invalid limits and options", () => {
  const world = World.inMemory();
  const open = (limits: object) => () => world.open({ limits });
  expect(open({ perday: 1 })).toThrow(/no limit "perday".*Did you mean perDay/);
  expect(open({ perDay: -1 })).toThrow(/limits.perDay must be a whole number of cents, got -1/);
  expect(open({ perDay: "100" })).toThrow(/got "100"/);
  expect(open({ recipients: ["0x1"] })).toThrow(/recipient/);
  expect(() => world.open({ quietMs: 0 })).toThrow(/quietMs must be a whole number/);
  expect(() => world.open({ quiteMs: 1 } as object)).toThrow(/Did you mean quietMs/);
});

it("holds a payout above the daily limit until midnight UTC, and says so once", async () => {
  const { world, payouts, plan, events, made } = await opened({ perDay: 1_000 });
  await plan("a", 600);
  await plan("b", 600);
  await payouts.runDue();
  expect(made()).toEqual(["a"]);
  const until = new Date("2026-01-02T00:00:00Z");
  const reason =
    "limits.perDay is 1000 cents, of which 600 are used. The payout waits until 2026-01-02T00:00:00.000Z.";
  expect(await payouts.get("b")).toMatchObject({
    state: "planned",
    waitsUntil: until,
    problem: reason,
  });
  await world.advance(12 * 60 * minute - 1);
  await payouts.runDue();
  expect(made()).toEqual(["a"]);
  expect(events.filter(({ type }) => type === "waiting")).toEqual([
    { type: "waiting", tenant: "", orderId: "b", reason, until },
  ]);
  await world.advance(1);
  let sending: Payout | undefined;
  world.onCreation = async () => {
    sending = await payouts.get("b");
  };
  await payouts.runDue();
  expect(made()).toEqual(["a", "b"]);
  expect(sending).toMatchObject({ state: "sending", waitsUntil: undefined, problem: undefined });
});

it("holds a payout above the 24-hour limit until enough of the budget is free again, also past midnight", async () => {
  const { world, payouts, plan, made } = await opened({ per24Hours: 1_000 });
  await world.advance(10 * 60 * minute);
  const start = world.now;
  for (const [orderId, amount] of [
    ["a", 300],
    ["b", 600],
    ["c", 400],
    ["d", 401],
    ["e", 100],
  ] as const) {
    await plan(orderId, amount);
    await payouts.runDue();
    await world.advance(60 * minute);
  }
  expect(made()).toEqual(["a", "b", "e"]);
  expect((await payouts.get("c"))?.waitsUntil).toEqual(new Date(start + day));
  expect((await payouts.get("d"))?.waitsUntil).toEqual(new Date(start + 60 * minute + day));
});

it("limits what one recipient gets in a day", async () => {
  const { payouts, plan, made } = await opened({ perRecipientAndDay: 500 });
  await plan("a", 400);
  await plan("b", 200);
  await plan("c", 200, other);
  await plan("d", 100, order.recipientAddress.toLowerCase());
  await payouts.runDue();
  expect(made()).toEqual(["a", "c", "d"]);
});

it("returns the budget of a failed withdrawal, and keeps that of one in doubt", async () => {
  const { world, payouts, plan, made } = await opened({ perDay: 1_000 });
  world.fates.push("answered", "lost");
  await plan("a", 500);
  await plan("b", 500);
  await plan("c", 500);
  await payouts.runDue();
  expect(await payouts.stats()).toMatchObject({ takenToday: 1_000, taken24Hours: 1_000 });
  expect(made()).toEqual(["a"]);
  await world.sandbox.withdrawals.simulate(world.made[0]?.id ?? "", "fail");
  await world.live(payouts, minute);
  expect((await payouts.get("a"))?.state).toBe("failed");
  expect(await payouts.stats()).toMatchObject({ takenToday: 500 });
});

it("counts a payout with a second withdrawal again although its first one failed", async () => {
  const { world, payouts, plan } = await opened({ perDay: 1_000 });
  await plan("a", 600);
  await payouts.runDue();
  await world.client().withdrawals.create({ ...order, orderId: "a", amountInCents: 600 });
  await world.sandbox.withdrawals.simulate(world.made[0]?.id ?? "", "fail");
  await world.live(payouts, minute);
  expect((await payouts.stats()).takenToday).toBe(0);
  await world.report(world.made.at(-1)?.id, { orderId: "a" });
  await payouts.reopen({ by: "ann", reason: "A script paid it." });
  expect(await payouts.get("a")).toMatchObject({ state: "needs_decision", finalAt: undefined });
  expect((await payouts.stats()).takenToday).toBe(600);
});

it("counts a payout on the day it was sent, even if its second withdrawal is found a day later", async () => {
  const { world, payouts, plan, made } = await opened({ perDay: 1_000 });
  await plan("a", 600);
  await payouts.runDue();
  await world.client().withdrawals.create({ ...order, orderId: "a", amountInCents: 600 });
  await world.advance(day);
  await world.report(world.made.at(-1)?.id, { orderId: "a" });
  await payouts.reopen({ by: "ann", reason: "A script paid it." });
  await plan("b", 600);
  await payouts.runDue();
  expect(made()).toContain("b");
});

it("no longer waits for the limits once another program has paid it", async () => {
  const { world, payouts, plan } = await opened({ perDay: 1_000 });
  await plan("a", 600);
  await plan("b", 600);
  await payouts.runDue();
  expect((await payouts.get("b"))?.waitsUntil).toBeDefined();
  await world.client().withdrawals.create({ ...order, orderId: "b", amountInCents: 600 });
  await world.report(world.made.at(-1)?.id, { orderId: "b" });
  expect(await payouts.get("b")).toMatchObject({ state: "sent", waitsUntil: undefined });
});

it("waits for another person's approval above approveAbove", async () => {
  const { payouts, plan, made } = await opened({ approveAbove: 100 });
  await plan("small", 100);
  await plan("large", 101);
  await payouts.runDue();
  expect(made()).toEqual(["small"]);
  await expect(payouts.approve("large", { by: "bob" })).rejects.toEqual(
    expect.objectContaining({
      code: "same_person",
      message: expect.stringContaining("Another person"),
    }),
  );
  await expect(payouts.approve("large", { by: " BOB" })).rejects.toThrow(/Another person/);
  await payouts.runDue();
  expect(made()).toEqual(["small"]);
  expect(await payouts.approve("large", { by: "ann" })).toMatchObject({
    state: "approved",
    approvedBy: "ann",
    problem: undefined,
  });
  await expect(payouts.approve("large", { by: "eve" })).rejects.toThrow(
    /already approved, by "ann"/,
  );
  await payouts.runDue();
  expect(made()).toEqual(["small", "large"]);
});

it("never sends a rejected payout", async () => {
  const { payouts, plan, made } = await opened({ approveAbove: 0 });
  await plan("a", 100);
  const rejected = await payouts.reject("a", { by: "ann", reason: "unknown seller" });
  expect(rejected).toMatchObject({ state: "refused", problem: "Rejected by ann: unknown seller" });
  await payouts.runDue();
  expect(made()).toEqual([]);
});

it("applies the limits of the process that sends, which may be stricter than the planner's", async () => {
  const { world, payouts, plan, made } = await opened({});
  await plan("a", 700);
  await plan("b", 300);
  const strict = world.open({ limits: { perPayout: 500, approveAbove: 250 } });
  await strict.runDue();
  expect(made()).toEqual([]);
  await strict.approve("a", { by: "ann" });
  await strict.runDue();
  expect((await payouts.get("a"))?.problem).toMatch(/above limits.perPayout/);
  await strict.approve("b", { by: "ann" });
  await strict.runDue();
  expect(made()).toEqual(["b"]);
});

it("keeps every limit, whatever the order in which processes send, fail and wait", async () => {
  const step = fc.oneof(
    fc.record({ plan: fc.integer({ min: 100, max: 6_000 }) }),
    fc.record({ run: fc.constant(true) }),
    fc.record({ hours: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ fail: fc.nat({ max: 20 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
      const world = World.inMemory();
      const limits = { perDay: 10_000, per24Hours: 12_000, perRecipientAndDay: 8_000 };
      const processes = [world.open({ limits }), world.open({ limits })] as const;
      await processes[0].migrate();
      const sent: { at: number; amount: number; recipient: string; id: string }[] = [];
      const failed = new Set<string>();
      let count = 0;
      for (const it of steps) {
        if ("plan" in it) {
          const recipientAddress = count % 2 ? other : order.recipientAddress;
          const plan = { ...order, orderId: `p${count++}`, amountInCents: it.plan };
          await processes[0].plan({ ...plan, recipientAddress });
        } else if ("run" in it) {
          const known = world.made.length;
          await Promise.all(processes.map((each) => each.runDue()));
          for (const { id, amountInCents: amount, recipientAddress } of world.made.slice(known)) {
            sent.push({ at: world.now, amount, recipient: recipientAddress.toLowerCase(), id });
          }
        } else if ("hours" in it) await world.advance(it.hours * 60 * minute);
        else {
          const one = sent[it.fail];
          if (one === undefined || failed.has(one.id)) continue;
          await world.sandbox.withdrawals.simulate(one.id, "fail");
          failed.add(one.id);
        }
      }
      expect((await processes[0].stats()).states.refused).toBe(0);
      const sum = (all: typeof sent) => all.reduce((total, { amount }) => total + amount, 0);
      for (const { at, recipient } of sent.filter(({ id }) => !failed.has(id))) {
        const kept = sent.filter((it) => !failed.has(it.id));
        const today = kept.filter((it) => Math.floor(it.at / day) === Math.floor(at / day));
        expect(sum(today)).toBeLessThanOrEqual(limits.perDay);
        const own = today.filter((it) => it.recipient === recipient);
        expect(sum(own)).toBeLessThanOrEqual(limits.perRecipientAndDay);
        const window = kept.filter((it) => it.at <= at && it.at > at - day);
        expect(sum(window)).toBeLessThanOrEqual(limits.per24Hours);
      }
    }),
    { numRuns: 25, interruptAfterTimeLimit: 30_000 },
  );
});

it("counts a withdrawal that another program made", async () => {
  const world = World.inMemory();
  const payouts = world.open({ lookFirst: true, limits: { perDay: 13_000 } });
  await payouts.migrate();
  await world.client().withdrawals.create(order);
  await payouts.plan(order);
  await payouts.plan({ ...order, orderId: "payout_2", amountInCents: 1_000 });
  await world.live(payouts, 10 * minute);
  // The withdrawal's date is from the sandbox's clock, which is the machine's and later than the ledger's.
  expect((await payouts.stats()).takenToday).toBe(order.amountInCents);
  expect((await payouts.get("payout_2"))?.waitsUntil).toBeDefined();
});

it("sends soon after a limit was raised", async () => {
  const { world, payouts } = await opened({ perDay: 1_000 });
  for (const orderId of ["a", "b"]) {
    await payouts.plan({ ...order, orderId, amountInCents: 1_000 });
    await world.advance(1);
  }
  await world.live(payouts, 2 * minute);
  expect(world.made).toHaveLength(1);
  await world.live(world.open({ limits: { perDay: 5_000 } }), 11 * minute);
  expect(world.made).toHaveLength(2);
});
