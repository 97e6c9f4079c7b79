import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sql } from "../../src/stores/store.ts";
import { cutEverywhere, type Life } from "../crash.ts";
import { stopTime } from "../stop-time.ts";
import { minute, opened, order } from "./world.ts";

// The client's pauses after a 429 follow the world's clock.
beforeEach(() => stopTime({ shouldAdvanceTime: true }));
afterEach(() => vi.useRealTimers());

it.each(["lost", "unanswered", "conflict"] as const)(
  "does not suggest paying a payout in doubt another way: %s",
  async (fate) => {
    const { world, payouts, events } = await opened();
    if (fate !== "conflict") world.fates.push(fate);
    const refuse = () => Response.json({ code: "idempotency_conflict" }, { status: 409 });
    world.answer = (method) => (fate === "conflict" && method === "POST" ? refuse() : undefined);
    await payouts.plan(order);
    await payouts.runDue();
    const { state, problem } = (await payouts.get(order.orderId)) ?? {};
    expect(state).toBe("sending");
    expect(problem).toMatch(
      /^Outcome unknown: the request may have taken effect \((ConnectionError ECONNRESET|Idempot.*)\)\. The ledger/,
    );
    const [doubt] = events.filter(({ type }) => type === "doubt");
    expect(doubt).toMatchObject({
      error: { name: "OutcomeUnknownError", message: problem, idempotencyKey: expect.any(String) },
    });
    // Nor does it while the list cannot be read.
    world.answer = () => new Response("", { status: 500 });
    await world.live(payouts, 5 * minute);
    const { problem: later } = (await payouts.get(order.orderId)) ?? {};
    expect(later).toMatch(
      /do not pay the order in any other way\. The last step failed: ServerError/,
    );
    expect(problem).not.toMatch(/createOnce|call again|repeat/i);
  },
);

it("records a withdrawal whose error message and transfer hash are not text", async () => {
  const { world, payouts } = await opened();
  const odd = { status: "completed", errorMessage: {}, receipt: { txHash: 7 } };
  world.answer = (method) =>
    method === "POST" ? Response.json({ ...order, ...odd, id: "w_1" }) : undefined;
  await payouts.plan(order);
  await payouts.runDue();
  expect(await payouts.get(order.orderId)).toMatchObject({
    state: "completed",
    withdrawalId: "w_1",
    transactionHash: undefined,
    problem: undefined,
  });
});

it.each([
  ["lack", {}],
  ["have null instead of", { customMetadata: null }],
])("does not open the breaker because responses %s the metadata", async (_, metadata) => {
  const { world, payouts, state } = await opened();
  const withdrawal = { ...order, ...metadata, id: "w_1" };
  world.answer = (method, path) => {
    if (method === "GET" && path.endsWith("/withdrawals")) return undefined;
    return Response.json({ ...withdrawal, status: method === "POST" ? "pending" : "completed" });
  };
  await payouts.plan({ ...order, customMetadata: { seller: 9 } });
  await payouts.runDue();
  expect(await state()).toBe("sent");
  await world.live(payouts, 2 * minute);
  expect(await state()).toBe("completed");
  expect((await payouts.stats()).stopped).toBeUndefined();
});

it("opens the breaker because a response has other metadata", async () => {
  const { world, payouts, state } = await opened();
  const withdrawal = { ...order, customMetadata: '{"seller":8}', id: "w_1", status: "pending" };
  world.answer = (method) => (method === "POST" ? Response.json(withdrawal) : undefined);
  await payouts.plan({ ...order, customMetadata: { seller: 9 } });
  await payouts.runDue();
  expect(await state()).toBe("needs_decision");
  expect((await payouts.stats()).stopped?.reason).toContain("different customMetadata");
});

it("releases a payout in the transaction that records that its request was not sent", async () => {
  const run = async (life: Life) => {
    const { world, payouts } = await opened();
    await payouts.plan(order);
    world.fates.push("refused connection");
    await life.run(() => world.open({ life }).runDue());
    const [row] = await world.store().transaction(function* () {
      return yield* sql(
        "SELECT state, outcome FROM {payouts} LEFT JOIN {payout_attempts} ON payout_id = id",
      );
    });
    expect(row).not.toEqual({ state: "sending", outcome: "not_sent" });
  };
  await cutEverywhere(run, { stride: 1 });
});

it.each([401, 429, 503])(
  "does not wait a year because of the Retry-After of one response with status %i",
  async (status) => {
    const { world, payouts, state } = await opened();
    let isFirst = true;
    world.answer = (method) => {
      if (method !== "POST" || !isFirst) return undefined;
      isFirst = false;
      const headers = { "retry-after": "31536000" };
      return Response.json({ code: "x", message: "No" }, { status, headers });
    };
    await payouts.plan(order);
    await world.live(payouts, 30 * minute);
    expect(await state()).toBe("sent");
  },
);

it("asks no person about a refused key after a lookup has ended the doubt about a lost request", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("lost");
  await payouts.plan(order);
  await payouts.runDue();
  const refuse = () => Response.json({ code: "unauthorized", message: "No" }, { status: 401 });
  world.answer = (method) => (method === "POST" ? refuse() : undefined);
  await world.live(payouts, 180 * minute, 2 * minute);
  expect(await state()).toBe("planned");
  expect((await payouts.stats()).oldestDoubt).toBeUndefined();
  world.answer = () => undefined;
  await world.live(payouts, 20 * minute);
  expect(await state()).toBe("sent");
  expect(world.made).toHaveLength(1);
});

it("asks no person about a lost request at once because of an earlier one that a person decided about", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push(...Array<"lost">(99).fill("lost"));
  await payouts.plan(order);
  await world.live(payouts, 75 * minute);
  expect(await state()).toBe("needs_decision");
  await payouts.resolve(order.orderId, { by: "ann", neverSent: true });
  world.fates.splice(1);
  await world.live(payouts, 30 * minute);
  expect(await state()).toBe("sent");
  expect(world.made).toHaveLength(1);
});

it("ends no other payout when the service refuses one", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("lost");
  await payouts.plan(order);
  await payouts.runDue();
  await payouts.plan({ ...order, orderId: "small", amountInCents: 1 });
  await payouts.runDue();
  expect((await payouts.get("small"))?.state).toBe("refused");
  expect(await state()).toBe("sending");
});

it("changes no other payout when one cannot be sent", async () => {
  const { world, payouts } = await opened();
  world.fates.push("lost");
  for (const orderId of ["lost", "sent"]) {
    await payouts.plan({ ...order, orderId });
    await payouts.runDue();
  }
  const others = await payouts.list();
  expect(others).toMatchObject([{ state: "sending" }, { state: "sent" }]);
  world.fates.push("refused connection");
  await payouts.plan(order);
  await payouts.runDue();
  expect(await payouts.list()).toMatchObject([...others, { state: "planned" }]);
});

it("keeps telling that an outcome is unknown while the list may show it late", async () => {
  const { world, payouts } = await opened();
  world.fates.push("lost");
  await payouts.plan(order);
  await payouts.runDue();
  const { problem } = (await payouts.get(order.orderId)) ?? {};
  expect(problem).toMatch(/^Outcome unknown/);
  await world.live(payouts, 3 * minute);
  expect(await payouts.get(order.orderId)).toMatchObject({ state: "sending", problem });
});

it.each([429, 503])(
  "stays in doubt about a request that got a %i after such a lookup",
  async (status) => {
    const { world, payouts, state } = await opened();
    world.fates.push("lost");
    await payouts.plan(order);
    await payouts.runDue();
    const answer = () => Response.json({ code: "x", message: "No" }, { status });
    world.answer = (method) => (method === "POST" ? answer() : undefined);
    await world.live(payouts, 6 * minute);
    expect(await payouts.get(order.orderId)).toMatchObject({ state: "sending", attempts: 2 });
    await expect(payouts.cancel(order.orderId, { by: "ann" })).rejects.toThrow("is sending");
    await world.live(payouts, 80 * minute);
    expect(await state()).toBe("needs_decision");
  },
);
