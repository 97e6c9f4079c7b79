import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InvalidRequestError } from "../../src/index.ts";
import type { Store } from "../../src/stores/store.ts";
import { type Cuts, cutEverywhere, type Life } from "../crash.ts";
import { clear, fastDatabases, type TestDatabase } from "../databases.ts";
import { type Fate, minute, order, quietMs, World } from "./world.ts";

// A process is interrupted at each statement, commit and request in turn (see test/crash.ts), and others continue. P1
// to P5 of docs/payouts.md hold wherever that happens, whatever the outcome of the requests, and however the service
// treats repeated keys.

const limits = { perDay: 20_000, approveAbove: 10_000 };
const small = { ...order, orderId: "payout_2", amountInCents: 9_000 };

interface Case {
  /** How the service treats a key that it has seen. */
  readonly keys: "ignored" | "honoured" | "conflict";
  /** Whether the client knows that keys are honoured. */
  readonly isTold: boolean;
  readonly fates: readonly Fate[];
  readonly lagMs: number;
}

const modes: readonly Pick<Case, "keys" | "isTold">[] = [
  { keys: "ignored", isTold: false },
  { keys: "honoured", isTold: true },
  { keys: "honoured", isTold: false },
  { keys: "conflict", isTold: false },
];

/** PostgreSQL is slower, so it runs only the best and the worst case of each mode, with a lagging list. */
function casesOn(name: string, mode: Pick<Case, "keys" | "isTold">): Case[] {
  const isFast = name === "SQLite";
  const fates: Fate[][] = [["answered"], ["late"]];
  if (isFast) fates.push(["lost"], ["unanswered"], ["late", "late"]);
  const lags = isFast ? [0, quietMs] : [quietMs];
  return fates.flatMap((each) => lags.map((lagMs) => ({ ...mode, fates: each, lagMs })));
}

describe.each(fastDatabases)(
  "a process that is interrupted anywhere, on %s,",
  (name, openDatabase) => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await openDatabase();
      store = database.open({ clock: "(SELECT ms FROM test_clock)" });
      await (await World.on(database)).open({ store }).migrate();
    });
    afterAll(() => database.close());

    it.each(modes)(
      "holds P1 to P5 if keys are $keys, which the client knows: $isTold",
      async (mode) => {
        const cuts: Cuts = { count: 0, kinds: new Set() };
        const cases = casesOn(name, mode);
        for (const [from, each] of cases.entries()) {
          const stride = name === "SQLite" ? 97 : 67;
          await cutEverywhere((life) => run(database, store, life, each), { stride, from }, cuts);
        }
        process.stdout.write(
          `payouts on ${name}, keys ${mode.keys}, told: ${mode.isTold}: ${cases.length} cases, ${cuts.count} cuts at ` +
            `${cuts.kinds.size} kinds of boundaries\n`,
        );
        expect([...cuts.kinds].filter((kind) => kind.includes("POST"))).toHaveLength(3);
        expect([...cuts.kinds].filter((kind) => kind.includes("GET"))).toHaveLength(6);
      },
      1_800_000,
    );
  },
);

/** Plans, approves and sends until the process is interrupted; then two others continue. */
async function run(database: TestDatabase, store: Store, life: Life, each: Case): Promise<void> {
  await clear(database, store);
  const world = await World.on(database);
  world.sandbox.withdrawalIdempotency = each.keys;
  Object.assign(world, { lagMs: each.lagMs, lateMs: quietMs, pageSize: 2 });
  await listOthers(world);
  world.fates.push(...each.fates);
  const wire = { withdrawalIdempotency: each.isTold ? "honoured" : "unknown" } as const;
  const open = (life?: Life) =>
    world.open({ store, client: { wire }, limits, ...(life && { life }) });
  // P1: when a request arrives, its attempt has been committed.
  world.onCreation = async () => {
    const { orderId } = world.creations.at(-1)?.body ?? {};
    const [row] = await database.query(
      store.dialect.expand(`SELECT count(*) AS count FROM {payout_attempts}
JOIN {payouts} ON id = payout_id WHERE order_id = '${orderId}'`),
    );
    const requests = world.creations.filter(({ body }) => body.orderId === orderId);
    expect(Number(row?.count)).toBeGreaterThanOrEqual(requests.length);
  };
  const first = open(life);
  const ended = await life.run(() => work(world, database, store, [first]));
  if (ended === "crashed") await work(world, database, store, [open(), open()]);
  await check(world, open(), each);
}

type Ledger = ReturnType<World["open"]>;

/** Withdrawals of other systems, so that the list has pages. */
async function listOthers(world: World): Promise<void> {
  const { withdrawals } = world.client();
  for (let n = 0; n < 3; n++) {
    const orderId = `other_${n}`;
    await withdrawals.create({ ...order, orderId });
  }
  world.creations.length = 0;
}

/** A merchant's job, which runs again after an interruption until nothing is left to do. */
async function work(world: World, database: TestDatabase, store: Store, ledgers: Ledger[]) {
  const [ledger] = ledgers as [Ledger];
  await ledger.plan(order);
  await ledger.plan(small);
  await ledger.approve(order.orderId, { by: "ann" }).catch((error: unknown) => {
    if (!InvalidRequestError.is(error)) throw error;
  });
  const nextDue = store.dialect.expand(
    `SELECT min(CASE WHEN waits_until > due_at THEN waits_until WHEN due_at > lease_until THEN due_at ELSE lease_until END) AS at
FROM {payouts} WHERE final_at IS NULL`,
  );
  for (;;) {
    for (const each of ledgers) await each.runDue({ concurrency: 1 });
    for (const { id, status } of world.made) {
      if (status === "pending") await world.sandbox.withdrawals.simulate(id, "complete");
    }
    const [next] = await database.query(nextDue);
    const inMs = Number(next?.at) - world.now;
    // Only payouts that wait for the next day's budget are left.
    if (inMs > 60 * minute && !world.isAwaited) return;
    await world.advance(Math.min(Math.max(inMs, 1_000), quietMs));
  }
}

async function check(world: World, payouts: Ledger, { isTold }: Case): Promise<void> {
  const rows = await payouts.list();
  const attempts: string[] = [];
  const sent = new Map<string, unknown>();
  for await (const { event, orderId = "", details } of payouts.journal()) {
    if (event === "sending") attempts.push(`${orderId} ${details.fence}`);
    if (event === "sent") sent.set(orderId, details.withdrawalId);
  }
  // P1: no request without an attempt, and one for each fence.
  expect(world.creations.length).toBeLessThanOrEqual(attempts.length);
  expect(new Set(attempts).size).toBe(attempts.length);
  // P2: two requests for one order are at least both quiet times apart.
  for (const { orderId } of isTold ? [] : rows) {
    const times = world.creations
      .filter(({ body }) => body.orderId === orderId)
      .map(({ at }) => at);
    for (const [index, at] of times.slice(1).entries()) {
      expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(2 * quietMs);
    }
  }
  // P3: at most one withdrawal per order, and none lost. P4: the daily limit allows one of the two.
  const made = world.made.filter(({ orderId }) => !orderId?.startsWith("other"));
  expect(made.length).toBe(1);
  expect(rows.map(({ state }) => state === "completed").sort()).toEqual([false, true]);
  expect([...sent]).toEqual(made.map(({ id, orderId }) => [orderId, id]));
  // P5
  expect(await payouts.verify()).toEqual({ ok: true, entries: expect.any(Number) });
  expect((await payouts.stats()).stopped).toBeUndefined();
}
