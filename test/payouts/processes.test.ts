import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createPayouts } from "../../src/payouts/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { databases, type TestDatabase } from "../databases.ts";
import { buildProgram, Fleet, randomFrom } from "../fleet.ts";
import { orderOf, type ProcessSettings } from "./paid-orders.ts";

// Processes plan, approve and send the same orders, on one database, while they are killed and suspended. Time is real
// here, and short: a request takes effect, and is listed, within `quietMs`.

const isWhole = process.env.SETTLEKIT_PROCESS_RUNS === "all";
const seed = Number(process.env.SETTLEKIT_TEST_SEED);
const quietMs = 1_200;
const perRecipientAndDay = 10_000;

let built: Awaited<ReturnType<typeof buildProgram>>;
beforeAll(async () => {
  built = await buildProgram(new URL("paying-process.ts", import.meta.url));
});
afterAll(() => built.remove());

interface Trial {
  readonly database: TestDatabase;
  readonly processes: number;
  readonly kills: number;
  readonly stops: number;
  readonly orders: number;
}

async function survive({ database, processes, kills, stops, orders }: Trial) {
  const random = randomFrom(seed + processes);
  const sandbox = createSandbox({ seed: seed + processes });
  await using service = await sandbox.listen({ port: 0 });
  const limits = { approveAbove: 1_500, perRecipientAndDay };
  const client = new MerchantClient({
    environment: "sandbox",
    baseUrl: service.url,
    secretKey: sandbox.secretKey,
  });
  const payouts = createPayouts({
    client,
    store: database.open(),
    quietMs,
    limits,
    logger: { warn() {}, error() {} },
  });
  await payouts.migrate();
  sandbox.faults.latency("POST /withdrawals", 40, { when: "before", probability: 0.5 });
  sandbox.faults.latency("POST /withdrawals", 40, { when: "after", probability: 0.5 });
  sandbox.faults.reset("POST /withdrawals", { when: "after", probability: 0.05 });
  sandbox.faults.reset("POST /withdrawals", { when: "before", probability: 0.05 });
  const settings: Omit<ProcessSettings, "skewMs"> = {
    database: database.address,
    serviceUrl: service.url,
    secretKey: sandbox.secretKey,
    quietMs,
    limits,
    orders,
    startedAt: Date.now(),
    everyMs: 25,
  };
  // The clocks of two neighbours are two minutes apart.
  const fleet = new Fleet(built.program, processes, (index) => ({
    ...settings,
    skewMs: index % 2 ? 120_000 : 0,
  }));
  try {
    // Longer than a lease, and shorter than two quiet times even if a busy machine wakes a process late.
    const stopMs = () => quietMs * (1.3 + 0.5 * random());
    await fleet.disturb({ kills, stops, stopMs, killEveryMs: 500, random });
    const unsettled = async () => {
      const { states, stopped } = await payouts.stats();
      // Nothing more is sent, which fails the test below.
      if (stopped !== undefined) return 0;
      const waiting = (await payouts.list({ state: "planned", limit: 10_000 })).concat(
        await payouts.list({ state: "approved", limit: 10_000 }),
      );
      const held = waiting.filter(({ waitsUntil }) => waitsUntil !== undefined).length;
      return orders - states.sent - states.needs_decision - held;
    };
    // `expect.poll` belongs to one test, and another one runs at the same time. The timeout only ends a hanging test.
    await vi.waitFor(async () => expect(await unsettled()).toBe(0), {
      interval: 500,
      timeout: 1_500_000,
    });
  } finally {
    await fleet.end();
  }
  const made = sandbox.withdrawals.all();
  const counts = new Map<string, number>();
  for (const { orderId } of made)
    counts.set(String(orderId), (counts.get(String(orderId)) ?? 0) + 1);
  const rows = await payouts.list({ limit: 10_000 });
  const sums = new Map<string, number>();
  for (const { recipientAddress: to, amountInCents } of made) {
    sums.set(to.toLowerCase(), (sums.get(to.toLowerCase()) ?? 0) + amountInCents);
  }
  // Past midnight (UTC), recipients have another day's budget.
  const dayOf = (ms: number) => Math.floor(ms / 86_400_000);
  const days = 1 + dayOf(Date.now()) - dayOf(settings.startedAt);
  const isPaid = ({ orderId }: { orderId: string }) => counts.has(orderId);
  const held = rows.filter(({ waitsUntil }) => waitsUntil !== undefined);
  return {
    report: `${processes} processes, ${fleet.kills} SIGKILLs, ${fleet.stops} SIGSTOPs, ${orders} orders, ${made.length} withdrawals, ${rows.filter(({ attempts }) => attempts > 1).length} sent again, ${held.length} held by a limit`,
    doubled: [...counts].filter(([, count]) => count > 1),
    lost: rows.filter((row) => row.state === "sent" && !isPaid(row)),
    unplanned: Array.from({ length: orders }, (_, index) => orderOf(index)).filter(
      ({ orderId }) => !rows.some((row) => row.orderId === orderId),
    ),
    undecided: rows.filter(({ state }) => state === "sending"),
    heldButPaid: held.filter(isPaid),
    beyondLimit: [...sums].filter(([, sum]) => sum > perRecipientAndDay * days),
    stopped: (await payouts.stats()).stopped,
    verified: await payouts.verify(),
  };
}

const trials = isWhole
  ? [
      { processes: 2, kills: 50, stops: 25, orders: 600 },
      { processes: 4, kills: 60, stops: 30, orders: 600 },
    ]
  : [{ processes: 2, kills: 3, stops: 1, orders: 40 }];
const stores = isWhole ? databases : databases.slice(0, 1);

it.concurrent.each(stores)(
  "processes on %s pay each order once, although they are killed and suspended",
  async (store, openDatabase) => {
    for (const trial of trials) {
      const database = await openDatabase();
      const { report, ...found } = await survive({ ...trial, database });
      await database.close();
      process.stdout.write(`payouts on ${store}: ${report}\n`);
      expect(found).toEqual({
        doubled: [],
        lost: [],
        unplanned: [],
        undecided: [],
        heldButPaid: [],
        beyondLimit: [],
        stopped: undefined,
        verified: { ok: true, entries: expect.any(Number) },
      });
    }
  },
  1_800_000,
);
