import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { postgres } from "../../src/stores/postgres.ts";
import { sqlite } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { signWebhook } from "../../src/webhooks/index.ts";
import { createPostgresDatabase, postgresServer, type TestDatabase } from "../databases.ts";
import { startPostgres } from "../postgres-server.ts";
import { openShop, prepareShop, ship } from "./shop.ts";

const server = await postgresServer();

/** A database whose pool the test can see. */
async function openDatabase(url: string, max = 8) {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on("error", () => {});
  const database: TestDatabase = {
    address: url,
    open: (options) => postgres(pool, { ...options, connectTimeoutMs: 200 }) as Store,
    query: async (text) => (await pool.query(text)).rows,
    close: () => pool.end(),
  };
  await prepareShop(database);
  return { pool, database };
}

describe.skipIf(server === undefined)("an inbox whose PostgreSQL", () => {
  it("loses its connection before COMMIT ships once", async () => {
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

  it("has no free client answers the service with 500, and takes the webhook when it comes again", async () => {
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
    expect((await shop.handle(request("http://shop.example/"))).status).toBe(500);
    for (const client of taken) client.release();
    expect((await shop.handle(request("http://shop.example/"))).status).toBe(200);
    expect((await shop.inbox.stats()).changed).toBe(1);
    await shop.store.close();
    await database.close();
    await drop();
  });

  it("is stopped and started again goes on by itself", async () => {
    const { server: own, url, stop } = await startPostgres();
    const { database } = await openDatabase(`${url}/postgres`);
    const shop = await openShop(database);
    ship(shop.inbox);
    const worker = shop.inbox.start({ pollMs: 20, reconcileEvery: false });
    await shop.paid("order_1");
    await vi.waitFor(async () => expect(await shop.shipments()).toEqual(["order_1"]));
    // Kept, unlike what `stop` removes at the end.
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

it("an inbox whose SQLite disk is full answers the service with 500, and loses nothing", async () => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const db = new DatabaseSync(":memory:");
  const database: TestDatabase = {
    address: ":memory:",
    open: (options) => sqlite(db, options) as Store,
    async query(text) {
      if (/^select/i.test(text)) return db.prepare(text).all();
      db.exec(text);
      return [];
    },
    close: async () => db.close(),
  };
  await prepareShop(database);
  const shop = await openShop(database);
  ship(shop.inbox);
  await shop.inbox.settleDue();
  const pages = Number(db.prepare("PRAGMA page_count").get()?.page_count);
  db.exec(`PRAGMA max_page_count = ${pages}`);
  const answers: number[] = [];
  const requests = Array.from({ length: 40 }, (_, n) => {
    const data = { id: `${n}${"x".repeat(900)}`, status: "completed" as const, orderId: "o" };
    const event = { event: "payment.updated" as const, data };
    return signWebhook({ event, secret: shop.sandbox.webhookSecret }).request(
      "http://shop.example/",
    );
  });
  for (const request of requests) answers.push((await shop.handle(request.clone())).status);
  expect(answers).toContain(500);
  const accepted = answers.filter((status) => status === 200).length;
  expect((await shop.inbox.stats()).changed).toBe(accepted);
  db.exec("PRAGMA max_page_count = 1000000");
  for (const request of requests) expect((await shop.handle(request.clone())).status).toBe(200);
  expect((await shop.inbox.stats()).changed).toBe(requests.length);
  await database.close();
});
