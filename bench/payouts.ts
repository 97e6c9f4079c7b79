/**
 * The payout ledger with 1 and 4 processes on both stores, compared in one run with the bare cost of as many
 * transactions and of the sandbox's responses.
 *
 * Run with `npm run build && npm --prefix bench ci && node bench/payouts.ts`; it takes about a minute. `--quick` uses a
 * fifth of the counts.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { MerchantClient } from "../dist/index.js";
import { createPayouts } from "../dist/payouts.js";
import { postgres } from "../dist/postgres.js";
import { createSandbox } from "../dist/sandbox.js";
import { sqlite } from "../dist/sqlite.js";
import { startPostgres } from "../test/postgres-server.ts";

const concurrency = 4;
const logger = { warn() {}, error() {} };

interface Place {
  /** A PostgreSQL URL, or the path of a file. */
  readonly database: string;
  readonly url: string;
  readonly secretKey: string;
}

function open({ database, url, secretKey }: Place) {
  const client = new MerchantClient({ environment: "sandbox", baseUrl: url, secretKey });
  if (!database.startsWith("postgres:")) {
    return createPayouts({ client, store: sqlite(database, { busyTimeoutMs: 30_000 }), logger });
  }
  const pool = new pg.Pool({ connectionString: database, max: concurrency + 2 });
  return createPayouts({ client, store: postgres(pool), logger });
}

const order = (n: number) => ({
  orderId: `payout_${n}`,
  amountInCents: 1_000,
  chainId: 84_532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
});

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

/** Sending a payout commits a claim, an attempt and a settlement, each with its row and its journal entry. */
const transactionsOfOne = 3;

async function bareSqlite(count: number, file: string): Promise<number> {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec("CREATE TABLE bare (id INTEGER PRIMARY KEY, n INTEGER)");
  const insert = db.prepare("INSERT INTO bare (n) VALUES (?)");
  const time = await seconds(async () => {
    for (let n = 0; n < count * transactionsOfOne; n++) {
      db.exec("BEGIN IMMEDIATE");
      insert.run(n);
      db.exec("COMMIT");
    }
  });
  db.close();
  return count / time;
}

async function barePostgres(count: number, url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("CREATE TABLE IF NOT EXISTS bare (n BIGINT)");
  const time = await seconds(async () => {
    for (let n = 0; n < count * transactionsOfOne; n++) {
      await client.query("BEGIN");
      await client.query("INSERT INTO bare VALUES ($1)", [n]);
      await client.query("COMMIT");
    }
  });
  await client.end();
  return count / time;
}

async function paying(place: Place, from: number, count: number, processes: number) {
  const payouts = open(place);
  for (let n = from; n < from + count; n++) await payouts.plan(order(n));
  const children: ChildProcess[] = [];
  for (let n = 0; n < processes; n++) {
    const child = fork(import.meta.filename, ["child"]);
    await once(child, "message");
    children.push(child);
  }
  const sent = async () => (await payouts.stats()).states.sent;
  const time = await seconds(async () => {
    for (const child of children) child.send(place);
    while ((await sent()) < from + count) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  for (const child of children) child.kill();
  return count / time;
}

async function main() {
  const count = process.argv.includes("--quick") ? 60 : 300;
  const folder = await mkdtemp(join(tmpdir(), "settlekit-bench-"));
  const server = await startPostgres();
  const print = (what: string, rate: number) =>
    console.log(`${what.padEnd(52)} ${rate.toFixed(0).padStart(6)} payouts a second`);
  try {
    const sandbox = createSandbox();
    const service = await sandbox.listen({ port: 0 });
    const client = new MerchantClient({
      environment: "sandbox",
      baseUrl: service.url,
      secretKey: sandbox.secretKey,
    });
    const responses = await seconds(async () => {
      for (let n = 0; n < count; n++)
        await client.withdrawals.create({ ...order(n), orderId: `bare_${n}` });
    });
    print("the sandbox's responses alone, one at a time", count / responses);
    const databases = [join(folder, "shop.db"), `${server.url}/postgres`];
    for (const database of databases) {
      const name = database.startsWith("postgres:") ? "PostgreSQL" : "SQLite";
      const place = { database, url: service.url, secretKey: sandbox.secretKey };
      await open(place).migrate();
      const bare =
        name === "SQLite"
          ? await bareSqlite(count, join(folder, "bare.db"))
          : await barePostgres(count, database);
      print(`${name}: ${transactionsOfOne} bare transactions per payout`, bare);
      print(`${name}: the ledger, 1 process`, await paying(place, 0, count, 1));
      print(`${name}: the ledger, 4 processes`, await paying(place, count, count, 4));
    }
    await service.close();
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
  process.exit();
}

if (process.argv[2] === "child") {
  process.once("message", (place) => open(place as Place).start({ concurrency, pollMs: 10 }));
  process.send?.("ready");
} else await main();
