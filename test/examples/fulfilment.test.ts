import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { fulfilOnce } from "../../examples/webhooks/fulfil-once.ts";
import { type OpenOrder, reconcile } from "../../examples/webhooks/reconcile.ts";
import { MerchantClient } from "../../src/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { sendDeliveries, signedDelivery } from "../../src/testing/index.ts";
import { Webhooks } from "../../src/webhooks/index.ts";

/** A shop with its own sandbox, whose webhooks are recorded and go nowhere by themselves. */
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
  const insert = database.prepare("INSERT INTO orders VALUES (?, ?, ?, ?)");

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
  const updated = (id: string, orderId: string, name = "payment.updated") =>
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
    settle,
    order,
    shipments,
    openOrders,
    updated,
    receive,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

describe("the fulfilling example", () => {
  it("ships each paid order once, though its webhooks come twice, at once and in disorder", async () => {
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

  it("believes the service rather than the webhook", async () => {
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

describe("the reconciling example", () => {
  it("settles orders whose webhook never came, and those whose payment id was lost", async () => {
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

  it("asks nothing when no order is open", async () => {
    await using shop = await openShop();
    await reconcile(shop.client, [], shop.settle);
    expect(shop.sandbox.requests()).toEqual([]);
  });
});
