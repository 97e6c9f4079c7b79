/**
 * The inbox on PostgreSQL, compared in one run with the bare cost of its transactions, pg-boss and graphile-worker.
 *
 * Run with `npm run build && npm --prefix bench ci && node bench/inbox.ts`; it takes about three minutes. `--quick`
 * uses a tenth of the counts, and skips the lease.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Logger, run as runGraphileWorker } from "graphile-worker";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { createInbox, type InboxClient } from "../dist/inbox.js";
import { postgres } from "../dist/postgres.js";
import { signWebhook, Webhooks } from "../dist/webhooks.js";
import { startPostgres } from "../test/postgres-server.ts";

const quick = process.argv.includes("--quick");
const scale = quick ? 0.1 : 1;
const concurrency = 8;
const secret = "whsec_bench";

const server = await startPostgres();
const pool = new pg.Pool({ connectionString: `${server.url}/postgres`, max: 2 * concurrency + 2 });
pool.on("error", () => {});
await pool.query("CREATE TABLE shipments (order_id TEXT)");
await pool.query("CREATE TABLE done (payment TEXT, state TEXT, PRIMARY KEY (payment, state))");

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
};

/** A service that responds immediately, so that the bench measures the database. */
const client = {
  payments: { get: async (id: string) => ({ id, orderId: id, status: "completed" }) },
} as unknown as InboxClient;

function openInbox(service = client) {
  const inbox = createInbox({
    client: service,
    webhooks: new Webhooks({ secret }),
    store: postgres(pool),
  });
  inbox.on("payment", "ship", { states: ["completed"] }, (tx, payment) =>
    tx.query("INSERT INTO shipments VALUES ($1)", [payment.orderId]),
  );
  return inbox;
}

const inbox = openInbox();
await inbox.migrate();
await inbox.settleDue();
const receive = inbox.fetchHandler();
let sent = 0;

async function deliver(id: string): Promise<void> {
  const data = { id, orderId: id, status: "completed" as const, n: sent++ };
  const { request } = signWebhook({ event: { event: "payment.updated", data }, secret });
  const { status } = await receive(request("http://shop.example/"));
  if (status !== 200) throw new Error(`The inbox answered ${status}.`);
}

/** Calls `work` for each number, `concurrency` at a time. */
async function each(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

/** The effect of a queue's job: the same row and the same insert, in one transaction. */
async function settleJob(payment: string): Promise<void> {
  const tx = await pool.connect();
  try {
    await tx.query("BEGIN");
    const { rowCount } = await tx.query(
      "INSERT INTO done VALUES ($1, 'completed') ON CONFLICT DO NOTHING",
      [payment],
    );
    if (rowCount) await tx.query("INSERT INTO shipments VALUES ($1)", [payment]);
    await tx.query("COMMIT");
  } finally {
    tx.release();
  }
}

function print(what: string, value: string, aim = ""): void {
  console.log(`${what.padEnd(58)} ${value.padStart(22)}   ${aim}`);
}

const payments = Math.round(4_000 * scale);

async function floor(): Promise<number> {
  const time = await seconds(() =>
    each(payments, async (n) => {
      const tx = await pool.connect();
      await tx.query("BEGIN");
      await tx.query("SELECT state FROM done WHERE payment = $1", [`floor ${n}`]);
      await tx.query("INSERT INTO shipments VALUES ($1)", [`floor ${n}`]);
      await tx.query("COMMIT");
      tx.release();
    }),
  );
  return payments / time;
}

async function settling(): Promise<void> {
  const before = await floor();
  await each(payments, (n) => deliver(`settle ${n}`));
  const settled = payments / (await seconds(() => inbox.settleDue({ concurrency })));
  const after = await floor();
  const bare = (before + after) / 2;
  print("BEGIN, SELECT, INSERT, COMMIT", `${bare.toFixed(0)} a second`);
  print("settling a payment", `${settled.toFixed(0)} a second`);
  print("settling, relative to bare", (settled / bare).toFixed(2), "aim: at least 0.60");
}

/** Starts `work` 200 times a second, and prints its latency. */
async function pace(what: string, aim: string, work: (n: number) => Promise<unknown>) {
  const count = Math.round(2_000 * scale);
  const latencies: number[] = [];
  const running: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < count; n++) {
    const due = startedAt + n * 5 - performance.now();
    if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    const at = performance.now();
    running.push(work(n).then(() => latencies.push(performance.now() - at)));
  }
  await Promise.all(running);
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(share * (count - 1))] ?? 0;
  print(`${what}, p50`, `${at(0.5).toFixed(2)} ms`);
  print(`${what}, p99`, `${at(0.99).toFixed(2)} ms`, aim);
}

async function accepting(): Promise<void> {
  // The disk's share: the cost of a bare commit.
  await pace("200 bare inserts a second", "", (n) =>
    pool.query("INSERT INTO shipments VALUES ($1)", [`bare ${n}`]),
  );
  await pace("accepting 200 webhooks a second", "aim: under 15 ms", (n) => deliver(`accept ${n}`));
  await inbox.settleDue();
}

async function bursts(): Promise<void> {
  const count = Math.round(1_000 * scale);
  const deliveries = 10 * count;
  await each(deliveries, (n) => deliver(`burst ${n % count}`));
  const own = deliveries / (await seconds(() => inbox.settleDue({ concurrency })));

  const boss = new PgBoss({ connectionString: `${server.url}/postgres`, max: concurrency });
  boss.on("error", console.error);
  await boss.start();
  await boss.createQueue("settle");
  const jobs = Array.from({ length: deliveries }, (_, n) => ({
    data: { id: `boss ${n % count}` },
  }));
  await boss.insert("settle", jobs);
  let done = 0;
  const bossDone = Promise.withResolvers<void>();
  const bossTime = await seconds(async () => {
    for (let lane = 0; lane < concurrency; lane++) {
      const options = { batchSize: 32, pollingIntervalSeconds: 0.5 };
      await boss.work<{ id: string }>("settle", options, async (batch) => {
        for (const { data } of batch) await settleJob(data.id);
        done += batch.length;
        if (done >= deliveries) bossDone.resolve();
      });
    }
    await bossDone.promise;
  });
  await boss.stop({ graceful: false });

  let worked = 0;
  const workerDone = Promise.withResolvers<void>();
  const runner = await runGraphileWorker({
    connectionString: `${server.url}/postgres`,
    concurrency,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: {
      async settle(payload) {
        if (start === 0) start = performance.now();
        await settleJob((payload as { id: string }).id);
        if (++worked >= deliveries) workerDone.resolve();
      },
    },
  });
  let start = 0;
  await pool.query(
    "SELECT graphile_worker.add_job('settle', json_build_object('id', 'worker ' || (n % $2))) FROM generate_series(1, $1) AS n",
    [deliveries, count],
  );
  await workerDone.promise;
  const workerTime = (performance.now() - start) / 1_000;
  await runner.stop();

  const best = Math.max(deliveries / bossTime, deliveries / workerTime);
  print("10 deliveries a payment: pg-boss", `${(deliveries / bossTime).toFixed(0)} a second`);
  print(
    "10 deliveries a payment: graphile-worker",
    `${(deliveries / workerTime).toFixed(0)} a second`,
  );
  print("10 deliveries a payment: the inbox", `${own.toFixed(0)} a second`);
  print("the inbox, relative to the faster one", (own / best).toFixed(1), "aim: at least 5.0");
}

async function lease(): Promise<void> {
  const claimed = Promise.withResolvers<void>();
  const stuck = openInbox({
    payments: {
      get() {
        claimed.resolve();
        return new Promise(() => {});
      },
    },
  } as unknown as InboxClient);
  await deliver("left behind");
  void stuck.settleDue();
  await claimed.promise;
  const worker = inbox.start({ reconcileEvery: false });
  const time = await seconds(async () => {
    while ((await inbox.stats()).changed > 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await worker.stop();
  print("takeover of a hung worker's subject", `${time.toFixed(1)} s`, "aim: at most 31 s");
}

async function memory(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const count = Math.round(100_000 * scale);
  const heap: number[] = [];
  for (const part of [0.2, 0.8]) {
    await each(count * part, (n) => deliver(`memory ${n % 500}`));
    await inbox.settleDue({ concurrency });
    collect();
    heap.push(process.memoryUsage().heapUsed / 1e6);
  }
  const [early = 0, late = 0] = heap;
  print(
    `memory after ${count * 0.2} and ${count} deliveries`,
    `${early.toFixed(1)}, ${late.toFixed(1)} MB`,
    "aim: flat",
  );
}

await settling();
await accepting();
await bursts();
if (!quick) await lease();
await memory();
await pool.end();
await server.stop();
process.exit();
