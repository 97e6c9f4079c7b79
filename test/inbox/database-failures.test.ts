import { execFile } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { postgres, StoreError } from "../../src/stores/postgres.ts";
import type { Store } from "../../src/stores/store.ts";
import { signWebhook } from "../../src/webhooks/index.ts";
import {
  createPostgresDatabase,
  openInMemory,
  openSqlite,
  postgresServer,
  type TestDatabase,
} from "../databases.ts";
import { startPostgres } from "../postgres-server.ts";
import { clock, openShop, prepareShop, ship } from "./shop.ts";

const execute = promisify(execFile);
const server = await postgresServer();

/** A database whose pool the test can use. */
async function openDatabase(url: string, max = 8) {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on("error", () => {});
  const database: TestDatabase = {
    address: url,
    open: (options) => postgres(pool, options) as Store,
    query: async (text) => (await pool.query(text)).rows,
    close: () => pool.end(),
  };
  await prepareShop(database);
  return { pool, database };
}

describe.skipIf(server === undefined)("an inbox on PostgreSQL", () => {
  it("ships once when the connection is lost before COMMIT", async () => {
    const { url, drop } = await createPostgresDatabase(server ?? "");
    const { pool, database } = await openDatabase(url);
    const shop = await openShop(database);
    let cuts = 0;
    shop.inbox.on("payment", "ship", { states: ["completed"] }, async (tx, payment) => {
      const client = tx as pg.PoolClient;
      await client.query("INSERT INTO shipments VALUES ($1, '')", [payment.orderId]);
      if (cuts++ > 0) return;
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      await pool.query("SELECT pg_terminate_backend($1)", [rows[0].pid]);
    });
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual([]);
    await shop.advance(60_000);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
    await shop.store.close();
    await database.close();
    await drop();
  });

  it("answers 500 while its pool has no free client, and accepts the webhook when it is redelivered", async () => {
    const { url, drop } = await createPostgresDatabase(server ?? "");
    const { pool, database } = await openDatabase(url, 2);
    const shop = await openShop(database);
    ship(shop.inbox);
    await shop.inbox.settleDue();
    const taken = [await pool.connect(), await pool.connect()];
    const data = { id: "p", status: "completed" as const, orderId: "o" };
    const { request } = signWebhook({
      event: { event: "payment.updated", data },
      secret: shop.sandbox.webhookSecret,
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answering = shop.handle(request("http://shop.example/"));
    await vi.waitFor(() => expect(pool.waitingCount).toBe(1));
    vi.advanceTimersByTime(10_000);
    vi.useRealTimers();
    expect((await answering).status).toBe(500);
    for (const client of taken) client.release();
    expect((await shop.handle(request("http://shop.example/"))).status).toBe(200);
    expect((await shop.inbox.stats()).changed).toBe(1);
    await shop.store.close();
    await database.close();
    await drop();
  });

  it("resumes by itself after the server was stopped and started again", async () => {
    const { server: own, url, stop } = await startPostgres();
    const { database } = await openDatabase(`${url}/postgres`);
    const shop = await openShop(database);
    ship(shop.inbox);
    const worker = shop.inbox.start({ pollMs: 20, reconcileEvery: false });
    await shop.paid("order_1");
    await vi.waitFor(async () => expect(await shop.shipments()).toEqual(["order_1"]));
    // Keeps the data, which `stop` removes at the end.
    Object.assign(Object(own).options, { persistent: true });
    await own.stop();
    const data = { id: "p", status: "completed" as const, orderId: "o" };
    const { request } = signWebhook({
      event: { event: "payment.updated", data },
      secret: shop.sandbox.webhookSecret,
    });
    expect((await shop.handle(request("http://shop.example/"))).status).toBe(500);
    await vi.waitFor(() => expect(shop.told("failed").length).toBeGreaterThan(0));
    await own.start();
    await shop.paid("order_2");
    await vi.waitFor(async () => expect(await shop.shipments()).toEqual(["order_1", "order_2"]));
    await worker.stop();
    await shop.store.close();
    await database.close();
    Object.assign(Object(own).options, { persistent: false });
    await stop();
  });
});

/** A database whose disk can be filled. */
interface SmallDisk {
  readonly form: string;
  readonly database: TestDatabase;
  fill(): Promise<unknown>;
  free(): Promise<unknown>;
  remove(): Promise<unknown>;
}

/** A separate file system, which only root can mount, on Linux. */
async function mountDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), "settlekit-disk-"));
  const remove = () => rm(folder, { recursive: true });
  try {
    await execute("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", folder]);
  } catch (error) {
    await remove();
    throw error;
  }
  const rest = join(folder, "rest");
  return {
    form: "a file system without free space",
    database: await openSqlite(folder),
    async fill() {
      const { bavail, bsize } = await statfs(folder);
      await writeFile(rest, new Uint8Array(bavail * bsize - 65_536));
    },
    free: () => rm(rest),
    async remove() {
      await execute("umount", [folder]);
      await remove();
    },
  };
}

function limitPages(): SmallDisk {
  const database = openInMemory();
  const allow = (pages: unknown) => database.query(`PRAGMA max_page_count = ${pages}`);
  return {
    form: "a database that may not grow",
    database,
    fill: () => allow(database.db.prepare("PRAGMA page_count").get()?.page_count),
    free: () => allow(1_000_000),
    remove: async () => {},
  };
}

it("does not take subjects for the cause of its end because their failures could not be recorded", async () => {
  const database = openInMemory();
  await prepareShop(database);
  const store = database.open({ clock });
  let [isDown, refused] = [false, 0];
  const transaction: Store["transaction"] = async (...work) => {
    if (!isDown) return store.transaction(...work);
    refused++;
    throw new StoreError("The database is down.", { code: "store_unavailable" });
  };
  const shop = await openShop(database, { store: { ...store, transaction } });
  let runs = 0;
  shop.inbox.on("payment", "ship", { states: ["completed"] }, () => {
    runs++;
    if (runs > 4) return;
    isDown = true;
    throw new Error("The connection is lost.");
  });
  await shop.paid("order_1");
  await using _worker = shop.inbox.start({ pollMs: 5, reconcileEvery: false });
  for (let outages = 1; outages <= 4; outages++) {
    await vi.waitFor(() => expect(refused).toBeGreaterThan(0));
    [isDown, refused] = [false, 0];
    await vi.waitFor(async () =>
      expect(await shop.inbox.failing()).toMatchObject([
        { failures: outages, reason: "StoreError: The database is down." },
      ]),
    );
    await shop.advance(6 * 3_600_000);
  }
  await vi.waitFor(async () => expect((await shop.inbox.stats()).changed).toBe(0));
  expect(runs).toBe(5);
  expect(shop.told("retried").map(({ failures }) => failures)).toEqual([1, 2, 3, 4]);
  await database.close();
});

it("releases what it could not while the database was unavailable, even if its worker is full", async () => {
  const database = openInMemory();
  await prepareShop(database);
  const store = database.open({ clock });
  let isDown = false;
  const transaction: Store["transaction"] = async (...work) => {
    if (!isDown) return store.transaction(...work);
    isDown = false;
    throw new StoreError("The database is down.", { code: "store_unavailable" });
  };
  const shop = await openShop(database, { store });
  const hanging = Promise.withResolvers<never>();
  const get = vi.fn(() => hanging.promise);
  const full = shop.openProcess({
    client(tenant) {
      if (tenant === "") return { payments: { get }, withdrawals: {} } as never;
      throw new Error("There is no key for it.");
    },
    webhooks: () => shop.webhooks,
    store: { ...store, transaction },
    onEvent: ({ type }) => {
      isDown = type === "failed";
    },
  });
  const { inbox } = shop.openProcess({
    client: () => shop.client,
    webhooks: () => shop.webhooks,
    store,
  });
  const subjects = store.dialect.expand("{inbox_subjects}");
  for (const order of ["revoked_1", "order_1", "revoked_2", "order_2"]) {
    const id = await shop.paid(order);
    await shop.advance(1);
    if (order.startsWith("revoked")) {
      await database.query(`UPDATE ${subjects} SET tenant = 'revoked' WHERE subject = '${id}'`);
    }
  }
  const worker = full.inbox.start({ concurrency: 2, pollMs: 5, drainMs: 0, reconcileEvery: false });
  await vi.waitFor(() => expect(get).toHaveBeenCalledTimes(2));
  await vi.waitFor(async () => {
    await inbox.settleDue();
    expect((await inbox.stats()).changed).toBe(2);
  });
  hanging.reject(new Error("The service is down."));
  await worker.stop();
  await database.close();
});

it("does not park a subject that was settled, although the response to its last commit was lost", async () => {
  const database = openInMemory();
  await prepareShop(database);
  const store = database.open({ clock });
  const subjects = store.dialect.expand("{inbox_subjects}");
  const transaction: Store["transaction"] = async (...work) => {
    const result = await store.transaction(...work);
    if (!isWaiting) return result;
    const settled = await database.query(`SELECT id FROM ${subjects} WHERE news = seen`);
    if (settled.length === 0) return result;
    isWaiting = false;
    throw new StoreError("The connection is lost.", { code: "store_unavailable" });
  };
  let isWaiting = false;
  const shop = await openShop(database, { store: { ...store, transaction } });
  ship(shop.inbox);
  await shop.inbox.settleDue();
  await shop.paid("order_1");
  await database.query(`UPDATE ${subjects} SET failures = 24`);
  isWaiting = true;
  await shop.inbox.settleDue();
  expect(isWaiting).toBe(false);
  expect(await shop.shipments()).toEqual(["order_1"]);
  expect(await shop.inbox.parked()).toEqual([]);
  await database.close();
});

it("an inbox on SQLite answers 500 while its disk is full, and loses nothing", async () => {
  const { form, database, fill, free, remove } = await mountDisk().catch(limitPages);
  process.stdout.write(`full disk: ${form}\n`);
  await prepareShop(database);
  const shop = await openShop(database);
  ship(shop.inbox);
  await shop.inbox.settleDue();
  await fill();
  const requests = Array.from({ length: 40 }, (_, n) => {
    const data = { id: `${n}${"x".repeat(900)}`, status: "completed" as const, orderId: "o" };
    const event = { event: "payment.updated" as const, data };
    return signWebhook({ event, secret: shop.sandbox.webhookSecret }).request(
      "http://shop.example/",
    );
  });
  const answers: number[] = [];
  for (const request of requests) answers.push((await shop.handle(request.clone())).status);
  expect(answers).toContain(500);
  const accepted = answers.filter((status) => status === 200).length;
  await free();
  expect((await shop.inbox.stats()).changed).toBe(accepted);
  for (const request of requests) expect((await shop.handle(request.clone())).status).toBe(200);
  expect((await shop.inbox.stats()).changed).toBe(requests.length);
  await database.close();
  await remove();
});
