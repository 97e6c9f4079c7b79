import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fulfilOnce } from "../../examples/webhooks/fulfil-once.ts";
import { type OpenOrder, reconcile } from "../../examples/webhooks/reconcile.ts";
import { MerchantClient, type Payment } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { sendDeliveries, signedDelivery } from "../../src/testing/index.ts";
import { Webhooks } from "../../src/webhooks/index.ts";
import { fromSource } from "./example.ts";

/** A shop with its own sandbox, which records webhooks but does not send them. */
async function openShop() {
  const sandbox = createSandbox({ seed: "fulfilment", now: new Date("2026-01-01T00:00:00Z") });
  const server = await sandbox.listen({ port: 0 });
  const client = new MerchantClient({
    environment: "sandbox",
    baseUrl: server.url,
    secretKey: sandbox.secretKey,
  });
  const webhooks = new Webhooks({
    secret: sandbox.webhookSecret,
    now: sandbox.clock.now,
    onError: () => undefined,
  });
  const database = new DatabaseSync(":memory:");
  const { settle } = fulfilOnce(database, client, webhooks);
  const insert = database.prepare(
    "INSERT INTO orders (id, amount_in_cents, payment_id, created_at) VALUES (?, ?, ?, ?)",
  );

  async function order(id: string, { cents = 2500, keepsId = true } = {}): Promise<string> {
    const { paymentId } = await client.payments.create({ amount: cents, orderId: id });
    insert.run(id, cents, keepsId ? paymentId : null, sandbox.clock.now().toISOString());
    return paymentId;
  }
  const shipments = () =>
    database
      .prepare("SELECT order_id FROM shipments ORDER BY order_id")
      .all()
      .map((row) => row.order_id);
  const openOrders = (): OpenOrder[] =>
    database
      .prepare("SELECT id, created_at FROM orders WHERE id NOT IN (SELECT order_id FROM shipments)")
      .all()
      .map((row) => ({ id: String(row.id), createdAt: new Date(String(row.created_at)) }));
  const updated = (id: string | undefined, orderId: string, name = "payment.updated") =>
    signedDelivery({
      event: { event: name, data: { id, orderId, status: "completed" } },
      secret: sandbox.webhookSecret,
      timestamp: sandbox.clock.now(),
    });
  const handle = webhooks.fetchHandler();
  const receive = (...deliveries: ReturnType<typeof updated>[]) =>
    sendDeliveries("https://shop.example/webhooks", deliveries, {
      seed: 1,
      duplicate: 1,
      tamper: 1,
      reorder: true,
      atOnce: 8,
      fetch: (url, init) => handle(new Request(url, init)),
    });
  return {
    sandbox,
    client,
    database,
    settle,
    order,
    shipments,
    openOrders,
    updated,
    receive,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

// The example reports payments that match no order there.
beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
afterEach(() => void vi.restoreAllMocks());

describe("the fulfilment example", () => {
  it("ships each paid order once, even if webhooks are duplicated, concurrent and reordered", async () => {
    await using shop = await openShop();
    const deliveries = [];
    for (const id of ["order_1", "order_2", "order_3"]) {
      const paymentId = await shop.order(id);
      await shop.sandbox.payments.simulate(paymentId, "success");
      deliveries.push(shop.updated(paymentId, id), shop.updated(paymentId, id));
      deliveries.push(shop.updated(paymentId, id, "payment.confirmed"));
    }
    const sent = await shop.receive(...deliveries);
    for (const { tampered, status } of sent) expect(status).toBe(tampered ? 401 : 200);
    expect(shop.shipments()).toEqual(["order_1", "order_2", "order_3"]);
  });

  it("finds the payment when the webhook names only the order, as documented", async () => {
    await using shop = await openShop();
    for (const [id, keepsId] of Object.entries({ kept: true, lost: false })) {
      const paymentId = await shop.order(id, { keepsId });
      await shop.sandbox.payments.simulate(paymentId, "success");
      const sent = await shop.receive(shop.updated(undefined, id));
      for (const { tampered, status } of sent) expect(status).toBe(tampered ? 401 : 200);
    }
    expect(shop.shipments()).toEqual(["kept", "lost"]);
  });

  it("reports a second payment of an order, even if its webhook names only the order", async () => {
    const report = vi.spyOn(console, "error").mockReturnValue();
    await using shop = await openShop();
    const paymentId = await shop.order("order_1");
    const { paymentId: second } = await shop.client.payments.create({
      amount: 2500,
      orderId: "order_1",
    });
    await shop.sandbox.payments.simulate(paymentId, "success");
    await shop.receive(shop.updated(undefined, "order_1"));
    expect(report).not.toHaveBeenCalled();
    await shop.sandbox.payments.simulate(second, "success");
    await shop.receive(shop.updated(undefined, "order_1"));
    expect(report).toHaveBeenCalledWith(expect.stringContaining(second));
    expect(shop.shipments()).toEqual(["order_1"]);
  });

  it.each([true, false])("reports a payment of another amount (id kept: %s)", async (keepsId) => {
    const report = vi.spyOn(console, "error").mockReturnValue();
    await using shop = await openShop();
    const paymentId = await shop.order("order_1", { keepsId });
    // The order changed after its payment was created.
    shop.database.exec("UPDATE orders SET amount_in_cents = 9900");
    await shop.sandbox.payments.simulate(paymentId, "success");
    await shop.receive(shop.updated(paymentId, "order_1"));
    expect(report).toHaveBeenCalledWith(expect.stringContaining(paymentId));
    expect(shop.shipments()).toEqual([]);
  });

  it("reports a paid payment without an order id", async () => {
    const report = vi.spyOn(console, "error").mockReturnValue();
    await using shop = await openShop();
    for (const orderId of [null, undefined, ""]) {
      shop.settle({ id: "p_1", orderId, amountInCents: 2500, status: "completed" } as Payment);
    }
    expect(report).toHaveBeenCalledTimes(3);
    expect(shop.shipments()).toEqual([]);
  });

  it("asks for a retry of the webhook when no payment is found", async () => {
    await using shop = await openShop();
    const sent = await shop.receive(shop.updated(undefined, "order_1"));
    for (const { tampered, status } of sent) expect(status).toBe(tampered ? 401 : 500);
  });

  it("ships each of 1,500 orders once when two processes settle two payments of it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fulfil-once-"));
    const path = join(folder, "shop.db");
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL");
    fulfilOnce(
      database,
      new MerchantClient({ environment: "sandbox", secretKey: "sk_test_1" }),
      new Webhooks({ secret: "s" }),
    );
    const orders = 1500;
    database.exec("BEGIN");
    const insert = database.prepare(
      "INSERT INTO orders (id, amount_in_cents, created_at) VALUES (?, 2500, '2026-01-01')",
    );
    for (let index = 0; index < orders; index++) insert.run(`order_${index}`);
    database.exec("COMMIT");
    const children = ["a", "b"].map((name) =>
      fork(join(import.meta.dirname, "settling-process.ts"), [path, name], {
        execArgv: ["--import", fromSource],
      }),
    );
    const ended = children.map((child) => once(child, "exit"));
    const answers = () => Promise.all(children.map((child) => once(child, "message")));
    await answers();
    // Each order in both at the same moment: SQLite's lock is not fair, so a process that never pauses may keep it.
    for (let index = 0; index < orders; index++) {
      for (const child of children) child.send(`order_${index}`);
      await answers();
    }
    for (const child of children) child.disconnect();
    expect((await Promise.all(ended)).map(([code]) => code)).toEqual([0, 0]);
    const count = (sql: string) => database.prepare(sql).get()?.count;
    expect(count("SELECT count(*) AS count FROM shipments")).toBe(orders);
    expect(count("SELECT count(DISTINCT order_id) AS count FROM shipments")).toBe(orders);
    database.close();
    await rm(folder, { recursive: true });
  });

  it("trusts the service rather than the webhook", async () => {
    await using shop = await openShop();
    const unpaid = await shop.order("order_1");
    const failed = await shop.order("order_2");
    await shop.sandbox.payments.simulate(failed, "underpayment");
    await shop.receive(shop.updated(unpaid, "order_1"), shop.updated(failed, "order_2"));
    expect(shop.shipments()).toEqual([]);
    await shop.sandbox.payments.simulate(unpaid, "success");
    await shop.receive(shop.updated(unpaid, "order_1"));
    expect(shop.shipments()).toEqual(["order_1"]);
  });

  it("ships nothing for another amount, another shop's order or a second payment", async () => {
    await using shop = await openShop();
    await shop.order("order_1");
    const { paymentId: cheap } = await shop.client.payments.create({
      amount: 250,
      orderId: "order_1",
    });
    const { paymentId: second } = await shop.client.payments.create({
      amount: 2500,
      orderId: "order_1",
    });
    const { paymentId: foreign } = await shop.client.payments.create({
      amount: 2500,
      orderId: "order_of_another_shop",
    });
    for (const id of [cheap, second, foreign]) {
      await shop.sandbox.payments.simulate(id, "success");
      const sent = await shop.receive(shop.updated(id, "order_1"));
      expect(sent.filter(({ status }) => status === 200)).not.toEqual([]);
    }
    expect(shop.shipments()).toEqual([]);
  });
});

describe("the reconciliation example", () => {
  it("settles orders whose webhook never arrived, and orders whose payment id was lost", async () => {
    await using shop = await openShop();
    const paid = await shop.order("order_1");
    await shop.order("order_2");
    const lost = await shop.order("order_3", { keepsId: false });
    const expired = await shop.order("order_4");
    await shop.sandbox.payments.simulate(paid, "success");
    await shop.sandbox.payments.simulate(lost, "success");
    await shop.sandbox.payments.simulate(expired, "timeout");
    expect(shop.shipments()).toEqual([]);
    await reconcile(shop.client, shop.openOrders(), shop.settle);
    expect(shop.shipments()).toEqual(["order_1", "order_3"]);
    await reconcile(shop.client, shop.openOrders(), shop.settle);
    await shop.receive(shop.updated(paid, "order_1"), shop.updated(lost, "order_3"));
    expect(shop.shipments()).toEqual(["order_1", "order_3"]);
  });

  it("reads the list no further than the oldest open order", async () => {
    await using shop = await openShop();
    await shop.order("long_done");
    await shop.sandbox.clock.advance("10m");
    const recent = await shop.order("recent");
    await shop.sandbox.payments.simulate(recent, "success");
    const settled: string[] = [];
    const openOrders = shop.openOrders().filter(({ id }) => id === "recent");
    const requests = shop.sandbox.requests().length;
    await reconcile(shop.client, openOrders, ({ id }) => settled.push(id));
    expect(settled).toEqual([recent]);
    expect(shop.sandbox.requests().length).toBe(requests + 1);
  });

  it("stops only at a page of old payments, because payments can move while the list is read", async () => {
    const payment = (orderId: string, createdAt: string) => {
      return {
        id: orderId,
        orderId,
        createdAt,
        status: "completed",
        amountInCents: 2500,
      } as Payment;
    };
    const pages = [
      [payment("old_1", "2025-12-01T00:00:00Z"), payment("order_1", "2026-01-01T00:00:01Z")],
      [payment("old_2", "2025-12-01T00:00:00Z"), payment("old_3", "2025-12-01T00:00:00Z")],
      [payment("order_2", "2025-11-01T00:00:00Z")],
    ];
    const list = () => ({
      async *pages() {
        for (const data of pages) yield { data };
      },
    });
    const client = { payments: { list } } as unknown as MerchantClient;
    const createdAt = new Date("2026-01-01T00:00:00Z");
    const settled: string[] = [];
    const openOrders = ["order_1", "order_2"].map((id) => ({ id, createdAt }));
    await reconcile(client, openOrders, ({ id }) => settled.push(id));
    expect(settled).toEqual(["order_1"]);
  });

  it("sends no request when no order is open", async () => {
    await using shop = await openShop();
    await reconcile(shop.client, [], shop.settle);
    expect(shop.sandbox.requests()).toEqual([]);
  });
});
