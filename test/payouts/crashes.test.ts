import { expect, it } from "vitest";
import { Life } from "../crash.ts";
import { type Fate, minute, order, quietMs, World } from "./world.ts";

// A process ends before or after each commit and request, for each of them in turn. Then others go on. Whichever it was,
// whatever became of the requests, and however the service takes repeated keys, P1 to P5 of docs/payouts.md hold.

const isWhole = process.env.SETTLEKIT_CRASH_STEPS === "all";
const limits = { perDay: 20_000 };

interface Case {
  /** What the service does with a key that it has seen. */
  readonly keys: "ignored" | "honoured" | "conflict";
  /** Whether the client is told that keys are honoured. */
  readonly isTold: boolean;
  readonly fates: readonly Fate[];
  readonly lagMs: number;
}

function* cases(): Generator<Case> {
  const fates: Fate[][] = [["answered"], ["lost"], ["unanswered"], ["late"], ["late", "late"]];
  for (const keys of ["ignored", "honoured", "conflict"] as const) {
    for (const isTold of keys === "honoured" ? [true, false] : [false]) {
      for (const each of fates) {
        for (const lagMs of [0, quietMs]) yield { keys, isTold, fates: each, lagMs };
      }
    }
  }
}

/** Plans and sends until the process ends, which it does at most after `last` boundaries; then two others go on. */
async function live({ keys, isTold, fates, lagMs }: Case, last: number) {
  const world = World.inMemory();
  world.sandbox.withdrawalIdempotency = keys;
  world.fates.push(...fates);
  world.lagMs = lagMs;
  world.lateMs = quietMs;
  const client = { wire: { withdrawalIdempotency: isTold ? "honoured" : "unknown" } } as const;
  await world.open().migrate();
  const life = new Life(last);
  const first = world.open({ life, client, limits });
  const work = async () => {
    await first.plan(order);
    await first.plan({ ...order, orderId: "payout_2" });
    await world.live(first, 14 * minute, quietMs);
  };
  const hasCrashed = (await life.run(work)) === "crashed";
  if (hasCrashed) {
    life.kill();
    const others = [world.open({ client, limits }), world.open({ client, limits })] as const;
    // What was not planned is planned again: the merchant's job runs again.
    await others[0].plan(order);
    await others[1].plan({ ...order, orderId: "payout_2" });
    for (let passed = 0; passed < 16 * minute; passed += quietMs / 2) {
      await Promise.all(others.map((each) => each.runDue()));
      await world.advance(quietMs / 2);
    }
  }
  return { world, life, hasCrashed };
}

async function check(world: World, isTold: boolean) {
  const payouts = world.open();
  const rows = await payouts.list();
  const attempts: { order: string; fence: unknown }[] = [];
  const sent = new Map<string, unknown>();
  for await (const { event, orderId = "", details } of payouts.journal()) {
    if (event === "sending") attempts.push({ order: orderId, fence: details.fence });
    if (event === "sent") sent.set(orderId, details.withdrawalId);
  }
  // P1: no request without an attempt, and one for each fence.
  expect(world.creations.length).toBeLessThanOrEqual(attempts.length);
  expect(new Set(attempts.map((it) => JSON.stringify(it))).size).toBe(attempts.length);
  // P2: the quiet times lie between two requests for one order.
  for (const { orderId } of isTold ? [] : rows) {
    const times = world.creations
      .filter(({ body }) => body.orderId === orderId)
      .map(({ at }) => at);
    for (const [index, at] of times.slice(1).entries()) {
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(2 * quietMs);
    }
  }
  // P3: one withdrawal for each order at most, and none lost.
  const made = world.made.map(({ orderId }) => orderId ?? "");
  expect(new Set(made).size).toBe(made.length);
  expect(rows.length).toBe(2);
  // P4: the limit of a day allows one of the two.
  expect(made.length).toBe(1);
  expect(rows.map(({ state }) => state).sort()).toEqual(["planned", "sent"]);
  expect([...sent]).toEqual(world.made.map(({ id, orderId }) => [orderId, id]));
  // P5
  expect(await payouts.verify()).toEqual({ ok: true, entries: expect.any(Number) });
  expect((await payouts.stats()).stopped).toBeUndefined();
}

it("holds P1 to P5 wherever a process ends", async () => {
  let crashes = 0;
  const crossed = new Set<string>();
  for (const [index, each] of [...cases()].entries()) {
    const whole = await live(each, Number.POSITIVE_INFINITY);
    await check(whole.world, each.isTold);
    for (const boundary of whole.life.crossed) crossed.add(boundary);
    const boundaries = whole.life.crossed.length;
    const step = isWhole ? 1 : 29;
    for (let last = isWhole ? 0 : index % step; last < boundaries; last += step) {
      const { world, hasCrashed } = await live(each, last);
      expect(hasCrashed).toBe(true);
      await check(world, each.isTold).catch((error: unknown) => {
        throw new Error(`${JSON.stringify(each)}, ended after ${last} boundaries`, {
          cause: error,
        });
      });
      crashes++;
    }
  }
  if (isWhole) process.stdout.write(`${crashes} crashes at ${crossed.size} kinds of boundaries\n`);
  expect([...crossed].filter((name) => /POST/.test(name))).toHaveLength(2);
  expect(crashes).toBeGreaterThan(100);
}, 900_000);
