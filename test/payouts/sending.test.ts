import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Withdrawal } from "../../src/index.ts";
import { inLedger } from "../../src/payouts/journal.ts";
import { settle } from "../../src/payouts/settle.ts";
import { stopTime } from "../stop-time.ts";
import { minute, opened, order, quietMs } from "./world.ts";

const hour = 60 * minute;

// The client's pauses after a 429 follow the world's clock.
beforeEach(() => stopTime({ shouldAdvanceTime: true }));
afterEach(() => vi.useRealTimers());

/** A ledger whose service honours the idempotency keys of withdrawals. */
async function keyed() {
  const it = await opened({ client: { wire: { withdrawalIdempotency: "honoured" } } });
  it.world.sandbox.withdrawalIdempotency = "honoured";
  return it;
}

it("commits the attempt, its key, its budget and the state before the request is sent", async () => {
  const { world, payouts } = await opened();
  const look = world.open();
  let seen: unknown;
  world.onCreation = async () => {
    seen = [await look.get(order.orderId), await look.stats(), world.creations.at(-1)?.key];
  };
  await payouts.plan(order);
  await payouts.runDue();
  const entries: Record<string, unknown>[] = [];
  for await (const { event, details } of payouts.journal()) entries.push({ event, ...details });
  expect(seen).toEqual([
    expect.objectContaining({ state: "sending", attempts: 1 }),
    expect.objectContaining({ takenToday: 12_500, entries: 2 }),
    entries.find(({ event }) => event === "sending")?.idempotencyKey,
  ]);
});

it("does not look before the quiet time is over, and reads the whole list before it sends again", async () => {
  const { world, payouts } = await opened();
  world.fates.push("lost");
  await payouts.plan(order);
  await world.live(payouts, 20 * minute, 10_000);
  const [sent = 0, again = 0] = world.creations.map(({ at }) => at);
  // Before the first request, the process looks for withdrawals that the ledger does not know.
  const [first, ...looks] = world.listings;
  expect(first).toBe(sent);
  expect(looks.every((at) => at >= sent + quietMs)).toBe(true);
  expect(again).toBeGreaterThanOrEqual(sent + 2 * quietMs);
  expect(world.listings.at(-1)).toBe(again);
});

it("creates one withdrawal although the first request took effect late and was listed late", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("late");
  world.lateMs = quietMs;
  world.lagMs = quietMs;
  await payouts.plan(order);
  await world.live(payouts, 30 * minute, 5_000);
  expect(await state()).toBe("sent");
  expect(world.made).toHaveLength(1);
});

it("does not treat an incomplete list as proof", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("lost");
  await payouts.plan(order);
  await payouts.runDue();
  world.answer = (method, path) =>
    method === "GET" && path.endsWith("/withdrawals")
      ? Response.json({
          data: [],
          pagination: { total: 1, limit: 1000, offset: 0, hasMore: false },
        })
      : undefined;
  await world.live(payouts, 50 * minute);
  expect(world.creations).toHaveLength(1);
  expect(await state()).toBe("sending");
  await world.live(payouts, 30 * minute);
  expect(await payouts.get(order.orderId)).toMatchObject({
    state: "needs_decision",
    problem: expect.stringMatching(
      /^The outcome of a request.*could not be read completely.*dashboard/,
    ),
  });
});

it("repeats the request with the same key if the service honours keys", async () => {
  const { world, payouts, state } = await keyed();
  world.fates.push("unanswered", "lost", "late");
  await payouts.plan(order);
  await world.live(payouts, 10 * minute, 5_000);
  expect(await state()).toBe("sent");
  expect(new Set(world.creations.map(({ key }) => key)).size).toBe(1);
  expect(world.creations.length).toBeGreaterThan(2);
  expect(world.made).toHaveLength(1);
  // It looks the payout up only at the end, because more than one request was sent.
  expect(world.listings).toHaveLength(1);
});

it("treats a conflict as a request that may be in progress", async () => {
  const { world, payouts, state } = await opened();
  world.sandbox.withdrawalIdempotency = "conflict";
  world.answer = (method) =>
    method === "POST"
      ? Response.json({ code: "conflict", message: "x" }, { status: 409 })
      : undefined;
  await payouts.plan(order);
  await payouts.runDue();
  expect(await state()).toBe("sending");
});

it("retries without a lookup when no connection was made", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("refused connection");
  await payouts.plan(order);
  await payouts.runDue();
  expect(await payouts.get(order.orderId)).toMatchObject({
    state: "planned",
    problem: expect.stringContaining("ECONNREFUSED"),
  });
  await world.advance(5_000);
  await payouts.runDue();
  expect(await state()).toBe("sent");
  expect(world.listings).toHaveLength(1);
});

it("ends as refused when the service refuses the payout, and keeps its budget reserved", async () => {
  const { world, payouts, told } = await opened();
  world.answer = (method) =>
    method === "POST"
      ? Response.json({ code: "below_minimum", message: "Too little" }, { status: 422 })
      : undefined;
  await payouts.plan(order);
  await world.live(payouts, 10 * minute);
  expect(await payouts.get(order.orderId)).toMatchObject({
    state: "refused",
    problem: expect.stringContaining("Too little"),
    finalAt: expect.any(Date),
  });
  expect(told()).toEqual(["planned", "refused"]);
  expect((await payouts.stats()).takenToday).toBe(order.amountInCents);
});

it.each([
  { first: "unanswered", end: "sent" },
  { first: "lost", end: "refused" },
] as const)(
  "accepts the refusal of a repetition only once the list shows the outcome of a first request that was $first",
  async ({ first, end }) => {
    const { world, payouts, state } = await keyed();
    world.fates.push(first);
    await payouts.plan(order);
    await payouts.runDue();
    world.answer = (method) =>
      method === "POST"
        ? Response.json({ code: "insufficient_balance", message: "Empty" }, { status: 422 })
        : undefined;
    await world.live(payouts, 10 * minute);
    expect(await state()).toBe(end);
    expect((await payouts.verify()).ok).toBe(true);
  },
);

it("pauses all payouts when the key is revoked, and continues with a new one", async () => {
  const { world, payouts } = await opened();
  world.answer = (method) =>
    method === "POST"
      ? Response.json({ code: "unauthorized", message: "No" }, { status: 401 })
      : undefined;
  for (let n = 0; n < 20; n++) await payouts.plan({ ...order, orderId: `p${n}` });
  await payouts.runDue();
  const all = await payouts.list();
  expect(all.filter(({ attempts }) => attempts > 0).length).toBeLessThanOrEqual(4);
  expect(all.every(({ state }) => state === "planned")).toBe(true);
  world.answer = () => undefined;
  await world.live(payouts, 30 * minute);
  expect((await payouts.stats()).states.sent).toBe(20);
  expect(new Set(world.made.map(({ orderId }) => orderId)).size).toBe(20);
});

it.each([
  [403, "planned"],
  [429, "sending"],
])(
  "retries after a %i, with a lookup first if a copy of the request may still arrive",
  async (status, before) => {
    const { world, payouts, state } = await opened();
    world.answer = (method) =>
      method === "POST" ? Response.json({ code: "no", message: "No" }, { status }) : undefined;
    await payouts.plan(order);
    await payouts.runDue();
    expect(await state()).toBe(before);
    world.answer = () => undefined;
    await world.live(payouts, 10 * minute);
    expect(await state()).toBe("sent");
    expect(world.listings.length > 1).toBe(status === 429);
  },
);

it("does not send a payout that was planned for another service", async () => {
  const { world, payouts, state, events } = await opened();
  await payouts.plan(order);
  const other = world.open({
    client: { idempotencyNamespace: "other" },
    onEvent: (event) => events.push(event),
  });
  await other.runDue();
  expect(world.creations).toEqual([]);
  expect(events.at(-1)).toMatchObject({
    type: "failed",
    error: {
      code: "other_service",
      message: expect.stringMatching(/a different environment, baseUrl.*plan it again under a new/),
    },
  });
  await world.live(payouts, 10 * minute);
  expect(await state()).toBe("sent");
});

it("keeps a final status when an older response arrives late", async () => {
  const { world, payouts, state } = await opened();
  await payouts.plan(order);
  await payouts.runDue();
  const [made] = world.made as [Withdrawal];
  await world.sandbox.withdrawals.simulate(made.id, "complete");
  await world.live(payouts, 2 * minute);
  const late = { ...made, status: "pending" } as Withdrawal;
  await world
    .store()
    .transaction(() => inLedger("", (ledger) => settle(ledger, order.orderId, late)));
  expect(await state()).toBe("completed");
  expect((await payouts.verify()).ok).toBe(true);
});

it("leaves the payout to a person after an hour of doubt", async () => {
  const { world, payouts, told } = await opened();
  world.fates.push(...Array<"lost">(40).fill("lost"));
  await payouts.plan(order);
  await world.live(payouts, 2 * hour);
  expect(await payouts.get(order.orderId)).toMatchObject({
    state: "needs_decision",
    problem: expect.stringMatching(/^The outcome of a request has been unknown for an hour/),
  });
  expect(told().at(-1)).toBe("needs_decision");
  const { length } = world.creations;
  await world.live(payouts, 2 * hour, 10 * minute);
  expect(world.creations).toHaveLength(length);
});

it("stays in doubt when only the repetition gets a 429", async () => {
  const { world, payouts, state } = await keyed();
  world.fates.push("unanswered");
  await payouts.plan(order);
  await payouts.runDue();
  world.answer = (method) =>
    method === "POST" ? Response.json({ code: "x", message: "No" }, { status: 429 }) : undefined;
  await world.advance(10_000);
  await payouts.runDue();
  expect(await state()).toBe("sending");
  expect((await payouts.stats()).oldestDoubt).toBeDefined();
  await world.live(payouts, 65 * minute);
  expect(await state()).toBe("sent");
});

it("leaves the payout to a person after an hour of lost and rate-limited requests", async () => {
  const { world, payouts, state } = await opened();
  let n = 0;
  world.answer = (method) => {
    if (method !== "POST" || n++ % 2 === 0) return undefined;
    return Response.json({ code: "x", message: "No" }, { status: 429 });
  };
  world.fates.push(...Array<"lost">(99).fill("lost"));
  await payouts.plan(order);
  await world.live(payouts, 80 * minute);
  expect(await state()).toBe("needs_decision");
});

it("does not keep rereading the list while the breaker is open", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("lost");
  await payouts.plan(order);
  await payouts.runDue();
  const stop = () => inLedger("", (ledger) => ledger.stop(null, "A test."));
  await world.store().transaction(stop);
  await world.live(payouts, 70 * minute, 5_000);
  expect(world.listings.length).toBeLessThan(4);
  expect(await state()).toBe("planned");
  await payouts.reopen({ by: "ann", reason: "a test" });
  await world.live(payouts, 10 * minute);
  expect(await state()).toBe("sent");
});
