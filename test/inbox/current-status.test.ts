import { describe, expect, vi } from "vitest";
import { signWebhook } from "../../src/webhooks/index.ts";
import { type Shop, ship, shops } from "./shop.ts";

describe.each(shops)("the current status of a payment, on %s", (_, it) => {
  const deliver = (shop: Shop, event: string, data: object) => {
    const signed = { event: { event, data } as never, secret: shop.sandbox.webhookSecret };
    return shop.handle(signWebhook(signed).request("http://shop.example/webhooks"));
  };

  it("is read again when a signed webhook reported a later one", async ({ shop }) => {
    ship(shop.inbox);
    const { paymentId: id } = await shop.client.payments.create({
      amount: 250,
      orderId: "order_1",
    });
    await shop.sandbox.webhooks.idle();
    await deliver(shop, "payment.updated", { id, status: "completed", orderId: "order_1" });
    await shop.inbox.settleDue();
    expect(String(shop.told("retried")[0]?.error)).toMatch(/reported a status later than pending/);
    await shop.sandbox.payments.simulate(id, "success");
    await shop.sandbox.webhooks.idle();
    await shop.advance(60_000);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it.for(["constructor", "__proto__"])(
    "counts if a webhook has the unknown status %s, which every object inherits",
    async (status, { shop }) => {
      ship(shop.inbox);
      const id = await shop.paid("order_1");
      const answer = await deliver(shop, "payment.updated", { id, status, orderId: "order_1" });
      expect(answer.status).toBe(200);
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_1"]);
    },
  );

  it("is found by orderId when the webhook has no id", async ({ shop }) => {
    ship(shop.inbox);
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    shop.deliverTo(shop.inbox.fetchHandler());
    await deliver(shop, "payment.updated", { status: "completed", orderId: "order_1" });
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
    expect(await shop.inbox.stats()).toMatchObject({ changed: 0 });
  });

  it("counts from when a webhook without an id reported it, as from one with an id", async ({
    shop,
  }) => {
    shop.deliverTo(async () => new Response());
    await shop.paid("order_1");
    shop.deliverTo(shop.inbox.fetchHandler());
    await shop.advance(86_400_000);
    ship(shop.inbox);
    await shop.inbox.settleDue();
    await deliver(shop, "payment.updated", { status: "completed", orderId: "order_1" });
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it("is read again when a webhook arrived while it was being settled", async ({ shop }) => {
    const { paymentId: id } = await shop.client.payments.create({
      amount: 250,
      orderId: "order_1",
    });
    await shop.sandbox.webhooks.idle();
    const { payments } = shop.client;
    const get = payments.get.bind(payments);
    vi.spyOn(payments, "get").mockImplementationOnce((async (paymentId: string) => {
      const answer = await get(paymentId);
      await shop.sandbox.payments.simulate(id, "success");
      await shop.sandbox.webhooks.idle();
      return answer;
    }) as never);
    ship(shop.inbox);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it("is read later when the service is unavailable", async ({ shop }) => {
    ship(shop.inbox);
    await shop.paid("order_1");
    shop.sandbox.faults.next("GET /payments/{paymentId}", { status: 503, when: "before" });
    await shop.inbox.settleDue();
    expect(shop.told("retried")).toHaveLength(1);
    await shop.advance(10_000);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it("is read again when a signed webhook reported a later one while it was being settled", async ({
    shop,
  }) => {
    const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_1" });
    await shop.sandbox.webhooks.idle();
    const get = shop.client.payments.get.bind(shop.client.payments);
    vi.spyOn(shop.client.payments, "get").mockImplementationOnce((async (id: string) => {
      const payment = await get(id);
      await deliver(shop, "payment.updated", { id, status: "completed" });
      return payment;
    }) as never);
    await shop.inbox.settleDue();
    expect(shop.told("settled")).toMatchObject([{ status: "pending" }]);
    expect(shop.told("retried")).toMatchObject([
      { id: paymentId, error: { code: "behind_webhook" } },
    ]);
  });

  it("is settled when it is behind a signed one that the service has already reported", async ({
    shop,
  }) => {
    const paymentId = await shop.paid("order_1");
    await shop.inbox.settleDue();
    const paid = await shop.client.payments.get(paymentId);
    vi.spyOn(shop.client.payments, "get").mockResolvedValue({ ...paid, status: "processing" });
    await deliver(shop, "payment.updated", { id: paymentId, status: "processing" });
    await shop.inbox.settleDue();
    expect(shop.told("settled").map(({ status }) => status)).toEqual(["completed", "processing"]);
  });
});
