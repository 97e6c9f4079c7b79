import { describe, expect, it, vi } from "vitest";
import { minute, opened, order, quietMs, type World } from "./world.ts";

it.each(["unknown", "honoured"] as const)(
  "sends nothing after another worker took over, with keys %s",
  async (keys) => {
    const client = { wire: { withdrawalIdempotency: keys } };
    const { world, payouts, told, events } = await opened({ client });
    world.sandbox.withdrawalIdempotency = "honoured";
    const store = world.store();
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let sinceClaim = Number.NaN;
    const paused = world.open({
      client,
      onEvent: (event) => events.push(event),
      store: {
        ...store,
        async transaction(work, options) {
          // The next transaction after the claim begins the attempt.
          if (++sinceClaim === 1) {
            reached.resolve();
            await goOn.promise;
          }
          const result = await store.transaction(work, options);
          if (Array.isArray(result) && result[0]?.fence) sinceClaim = 0;
          return result;
        },
      },
    });
    await payouts.plan(order);
    const running = paused.runDue();
    await reached.promise;
    expect(world.creations).toEqual([]);
    await world.advance(5 * minute);
    world.fates.push("unanswered");
    const answer = Promise.withResolvers<void>();
    world.onCreation = async () => {
      if (world.creations.length === 1) await answer.promise;
    };
    const sending = payouts.runDue();
    await vi.waitFor(() => expect(world.creations).toHaveLength(1));
    // Another payout was claimed as often, and is being processed.
    await payouts.plan({ ...order, orderId: "other" });
    const soon = world.now + minute;
    world.query(
      `UPDATE settlekit_payouts SET fence = 1, lease_until = ${soon} WHERE order_id = 'other'`,
    );
    goOn.resolve();
    await running;
    expect(told()).toContain("fenced");
    expect(world.creations).toHaveLength(1);
    answer.resolve();
    await sending;
    await world.live(payouts, 10 * minute);
    expect(world.made.map(({ orderId }) => orderId).sort()).toEqual(["other", order.orderId]);
  },
);

it("sends nothing when its process was suspended after the attempt was committed", async () => {
  const { world, payouts, state } = await opened();
  const { now } = Date;
  let suspendedMs = 0;
  Date.now = () => now() + suspendedMs;
  try {
    const store = world.store();
    const errors: unknown[] = [];
    const suspended = world.open({
      onEvent: (event) => event.type === "failed" && errors.push(event.error),
      store: {
        ...store,
        async transaction(work, options) {
          const result = await store.transaction(work, options);
          if ((result as { kind?: string } | undefined)?.kind === "begun") suspendedMs += quietMs;
          return result;
        },
      },
    });
    await payouts.plan(order);
    await suspended.runDue();
    expect(world.creations).toEqual([]);
    // The client's own pauses and queue look the same from here.
    expect((await payouts.get(order.orderId))?.problem).toMatch(
      /was delayed by more than 15 s, so it was not sent: the process was suspended, or the client paused after a 429/,
    );
    expect(errors).toMatchObject([{ code: "process_suspended", outcome: "not_sent" }]);
  } finally {
    Date.now = now;
  }
  await world.advance(4_000);
  expect(await payouts.runDue()).toBe(0);
  await world.live(payouts, 10 * minute);
  expect(await state()).toBe("sent");
  expect(world.made).toHaveLength(1);
});

it("records a response that arrives after another worker took over", async () => {
  const { world, payouts, state } = await opened();
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  world.onCreation = async () => {
    arrived.resolve();
    await goOn.promise;
  };
  await payouts.plan(order);
  const running = payouts.runDue();
  await arrived.promise;
  await world.advance(quietMs);
  const other = world.open();
  await other.runDue();
  goOn.resolve();
  await running;
  expect(await state()).toBe("sent");
  await world.live(other, 20 * minute);
  expect(world.made).toHaveLength(1);
});

it("does not end as refused when the refusal arrives after another worker sent it again", async () => {
  const { world, payouts, state } = await opened();
  await payouts.plan(order);
  world.fates.push("lost", "answered", "unanswered");
  await payouts.runDue();
  await world.advance(3 * quietMs);
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  world.onCreation = async () => {
    arrived.resolve();
    await goOn.promise;
    world.change = (body) => ({ ...body, amountInCents: -1 });
  };
  const running = payouts.runDue();
  await arrived.promise;
  await world.advance(3 * quietMs);
  world.onCreation = async () => {};
  const other = world.open();
  await other.runDue();
  expect(world.made).toHaveLength(1);
  goOn.resolve();
  await running;
  expect(await state()).toBe("sending");
  await world.live(other, 20 * minute);
  expect(await state()).toBe("sent");
  expect(world.made).toHaveLength(1);
});

it("does not undo a person's decision about several withdrawals after a slow lookup found them, too", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("unanswered");
  await payouts.plan(order);
  await payouts.runDue();
  await world.client().withdrawals.create(order);
  await world.advance(quietMs + minute);
  const store = world.store();
  const found = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let sinceLook = Number.NaN;
  const slow = world.open({
    store: {
      ...store,
      async transaction(work, options) {
        if (++sinceLook === 1) {
          found.resolve();
          await goOn.promise;
        }
        const result = await store.transaction(work, options);
        if (Object(result).lookAt !== undefined) sinceLook = 0;
        return result;
      },
    },
  });
  const running = slow.runDue();
  await found.promise;
  await world.advance(5 * minute);
  await payouts.runDue();
  const [right] = world.made.map(({ id }) => id);
  await payouts.resolve(order.orderId, { by: "ann", withdrawalId: right ?? "" });
  await payouts.reopen({ by: "ann", reason: "A script paid it, too." });
  goOn.resolve();
  await running;
  expect(await state()).toBe("sent");
  expect((await payouts.stats()).stopped).toBeUndefined();
});

describe("a worker that reads a list for longer than a claim lasts", () => {
  /** A payout in doubt, and a worker that looks it up. The callback runs before each of its requests. */
  async function slow(meanwhile: (world: World) => Promise<unknown>) {
    const { world, payouts, told } = await opened();
    for (let n = 0; n < 10; n++)
      await world.client().withdrawals.create({ ...order, orderId: `p${n}` });
    await payouts.plan(order);
    world.fates.push("lost");
    await payouts.runDue();
    await world.advance(2 * quietMs);
    world.pageSize = 2;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const beforeRequest = async ({ request }: { request: Request }) => {
      if (request.method !== "GET") return;
      await world.advance(20_000);
      await meanwhile(world);
    };
    await world.open({ client: { hooks: { beforeRequest: [beforeRequest] } } }).runDue();
    vi.useRealTimers();
    return { payouts, told };
  }

  it("keeps its claim", async () => {
    let taken = 0;
    const { payouts, told } = await slow(async (world) => {
      taken += await world.open().runDue();
    });
    expect(taken).toBe(0);
    expect(told()).not.toContain("fenced");
    expect(await payouts.get(order.orderId)).toMatchObject({ state: "sent", attempts: 2 });
  });

  it.each([
    ["of a crashed worker to another payout", "other", 2],
    ["of a worker that took over and crashed", order.orderId, 3],
  ])("does not keep the claim %s", async (_, orderId, fence) => {
    const states: (string | undefined)[] = [];
    await slow(async (world) => {
      const other = world.open();
      if (states.length === 0) {
        await other.plan({ ...order, orderId: "other" });
        world.query(
          `UPDATE settlekit_payouts SET fence = ${fence}, lease_until = ${world.now + minute} WHERE order_id = '${orderId}'`,
        );
      }
      await other.runDue();
      states.push((await other.get(orderId))?.state);
    });
    // Each request takes 20 seconds, and the crashed worker's claim lasts a minute.
    expect(states.slice(0, 5)).toContain("sent");
  });
});

it("releases its payout at once when it is stopped, so that another worker can send it", async () => {
  const { world, payouts, state } = await opened();
  const reading = Promise.withResolvers<void>();
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((_, reject) => {
      reading.resolve();
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  await payouts.plan(order);
  const worker = world.open({ client: { fetch } }).start({ drainMs: 0, pollMs: 1 });
  await reading.promise;
  await worker.stop();
  await payouts.runDue();
  expect(await state()).toBe("sent");
});
