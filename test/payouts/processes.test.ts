import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { build } from "esbuild";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { createPayouts } from "../../src/payouts/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { postgres } from "../../src/stores/postgres.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";
import { orderOf, type ProcessSettings } from "./paid-orders.ts";

// Processes plan, approve and send the same orders, on one database, while they are killed and suspended. Time is real
// here, and short: a request takes effect, and is listed, within `quietMs`.

const isWhole = process.env.SETTLEKIT_PROCESS_RUNS === "all";
const seed = Number(process.env.SETTLEKIT_TEST_SEED);
const quietMs = 1_200;
const perRecipientAndDay = 10_000;

let folder = "";
let program = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "settlekit-payouts-"));
  program = resolve(
    import.meta.dirname,
    `../../node_modules/.cache/paying-process-${process.pid}.mjs`,
  );
  // One file starts many times faster than the source.
  await build({
    entryPoints: [join(import.meta.dirname, "paying-process.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    external: ["pg"],
  });
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await rm(program, { force: true });
});

/** mulberry32, seeded. */
function randomFrom(state: number): () => number {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Processes that are started again when they are killed. */
class Fleet {
  readonly #settings: Omit<ProcessSettings, "skewMs">;
  readonly #children: ChildProcess[] = [];
  kills = 0;
  stops = 0;

  constructor(count: number, settings: Omit<ProcessSettings, "skewMs">) {
    this.#settings = settings;
    for (let index = 0; index < count; index++) this.#start(index);
  }

  #start(index: number): void {
    // The clocks of two neighbours are two minutes apart.
    const settings = { ...this.#settings, skewMs: index % 2 ? 120_000 : 0 };
    const env = { ...process.env, PAYING_PROCESS: JSON.stringify(settings) };
    this.#children[index] = spawn(process.execPath, [program], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }

  async kill(index: number): Promise<void> {
    const child = this.#children[index];
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    this.kills++;
    this.#start(index);
  }

  async suspend(index: number, ms: number): Promise<void> {
    const child = this.#children[index];
    child?.kill("SIGSTOP");
    await delay(ms);
    child?.kill("SIGCONT");
    this.stops++;
  }

  async end(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        const ended = child.exitCode === null && child.signalCode === null && once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }),
    );
  }
}

interface Trial {
  readonly database: string;
  readonly processes: number;
  readonly kills: number;
  readonly stops: number;
  readonly orders: number;
}

async function survive({ database, processes, kills, stops, orders }: Trial) {
  const random = randomFrom(seed + processes);
  const sandbox = createSandbox();
  await using service = await sandbox.listen({ port: 0 });
  const limits = { approveAbove: 1_500, perRecipientAndDay };
  const client = new MerchantClient({
    environment: "sandbox",
    baseUrl: service.url,
    secretKey: sandbox.secretKey,
  });
  await using pool = database.startsWith("postgres:")
    ? Object.assign(new pg.Pool({ connectionString: database }), {
        async [Symbol.asyncDispose]() {
          await pool?.end();
        },
      })
    : undefined;
  const store = pool ? postgres(pool) : sqlite(database);
  const payouts = createPayouts({
    client,
    store: store as never,
    quietMs,
    limits,
    logger: { warn() {}, error() {} },
  });
  await payouts.migrate();
  sandbox.faults.latency("POST /withdrawals", 40, { when: "before", probability: 0.5 });
  sandbox.faults.latency("POST /withdrawals", 40, { when: "after", probability: 0.5 });
  sandbox.faults.reset("POST /withdrawals", { when: "after", probability: 0.05 });
  sandbox.faults.reset("POST /withdrawals", { when: "before", probability: 0.05 });
  const everyMs = 25;
  const fleet = new Fleet(processes, {
    database,
    serviceUrl: service.url,
    secretKey: sandbox.secretKey,
    quietMs,
    limits,
    orders,
    startedAt: Date.now(),
    everyMs,
  });
  try {
    const killing = (async () => {
      while (fleet.kills < kills) {
        await delay(150 + 350 * random());
        await fleet.kill(Math.floor(random() * processes));
      }
    })();
    const suspending = (async () => {
      while (fleet.stops < stops) {
        await delay(100 * random());
        await fleet.suspend(Math.floor(random() * processes), quietMs * (1.1 + 2 * random()));
      }
    })();
    await Promise.all([killing, suspending]);
    const unsettled = async () => {
      const { states } = await payouts.stats();
      const waiting = (await payouts.list({ state: "planned", limit: 10_000 })).concat(
        await payouts.list({ state: "approved", limit: 10_000 }),
      );
      const held = waiting.filter(({ waitsUntil }) => waitsUntil !== undefined).length;
      return orders - states.sent - states.needs_decision - held;
    };
    await expect.poll(unsettled, { interval: 500, timeout: 180_000 }).toBe(0);
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
    beyondLimit: [...sums].filter(([, sum]) => sum > perRecipientAndDay),
    stopped: (await payouts.stats()).stopped,
    verified: await payouts.verify(),
  };
}

const trials = isWhole
  ? [
      { processes: 2, kills: 50, stops: 25, orders: 600 },
      { processes: 4, kills: 60, stops: 30, orders: 600 },
    ]
  : [{ processes: 2, kills: 4, stops: 2, orders: 60 }];
const server = await postgresServer();
const stores = ["SQLite", ...(server && isWhole ? ["PostgreSQL"] : [])];
const cases = stores.flatMap((store) => trials.map((trial) => ({ store, ...trial })));

it.each(cases)(
  "$processes processes on $store pay each order once, though they are killed and suspended",
  async ({ store, ...trial }) => {
    const created =
      store === "SQLite"
        ? { url: join(folder, `${trial.processes}.db`), drop: async () => {} }
        : await createPostgresDatabase(server ?? "");
    const { report, ...found } = await survive({ ...trial, database: created.url });
    await created.drop();
    if (isWhole) process.stdout.write(`${store}: ${report}\n`);
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
  },
  600_000,
);
