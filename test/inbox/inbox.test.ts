import { describe, expect } from "vitest";
import { signWebhook, Webhooks } from "../../src/webhooks/index.ts";
import { insert } from "./insert.ts";
import { type Shop, ship, shops } from "./shop.ts";

describe.each(shops)("an inbox on %s", (_, it) => {
  const deliver = (
    shop: Shop,
    event: string,
    data: object,
    secret = shop.sandbox.webhookSecret,
  ) => {
    const { request } = signWebhook({ event: { event, data } as never, secret });
    return shop.handle(request("http://shop.example/webhooks"));
  };

  describe("effects", () => {
    it("run once for a paid payment, however many webhooks arrive", async ({ shop }) => {
      ship(shop.inbox);
      const id = await shop.paid("order_1");
      for (let n = 0; n < 3; n++) {
        await deliver(shop, "payment.updated", { id, status: "completed", orderId: "order_1", n });
        await shop.inbox.settleDue();
      }
      expect(await shop.shipments()).toEqual(["order_1"]);
      expect(shop.told("settled").at(-1)).toMatchObject({ kind: "payment", id, effects: [] });
    });

    it("run once when `confirmed` follows `completed`, which means the same", async ({ shop }) => {
      ship(shop.inbox);
      const id = await shop.paid("order_1");
      await shop.inbox.settleDue();
      const paid = await shop.client.payments.get(id);
      shop.client.payments.get = (() => Promise.resolve({ ...paid, status: "confirmed" })) as never;
      await deliver(shop, "payment.confirmed", { id, status: "confirmed", orderId: "order_1" });
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_1"]);
    });

    it("run for each state that a payment reaches", async ({ shop }) => {
      shop.inbox.on("payment", "log", {}, (tx, payment) =>
        insert(tx, "shipments", payment.orderId ?? null, payment.status),
      );
      const { paymentId } = await shop.client.payments.create({ amount: 250, orderId: "order_1" });
      await shop.sandbox.webhooks.idle();
      await shop.inbox.settleDue();
      await shop.sandbox.payments.simulate(paymentId, "success");
      await shop.sandbox.webhooks.idle();
      await shop.inbox.settleDue();
      const states = (await shop.query("SELECT state FROM shipments")).map((row) => row.state);
      expect(states).toEqual(["pending", "completed"]);
    });

    it("run for withdrawals, too", async ({ shop }) => {
      shop.inbox.on("withdrawal", "book", { states: ["completed"] }, (tx, withdrawal, tools) =>
        insert(tx, "shipments", withdrawal.orderId ?? null, tools.state),
      );
      const { id } = await shop.client.withdrawals.create({
        amountInCents: 1000,
        chainId: 84532,
        recipientAddress: "0x52908400098527886E0F7030069857D2E4169EE7",
        orderId: "payout_1",
      });
      await shop.sandbox.withdrawals.simulate(id, "complete");
      await shop.sandbox.webhooks.idle();
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["payout_1"]);
    });

    it("that throw are rolled back, and run again later", async ({ shop }) => {
      let isBroken = true;
      shop.inbox.on("payment", "ship", {}, (tx, payment) => {
        const result = insert(tx, "shipments", payment.orderId ?? null, "completed");
        if (!isBroken) return result as undefined;
        if (result === undefined) throw new Error("out of stock");
        return Promise.resolve(result).then(() => {
          throw new Error("out of stock");
        }) as never;
      });
      await shop.paid("order_1");
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual([]);
      expect(shop.told("retried")).toMatchObject([{ failures: 1, kind: "payment" }]);
      expect(await shop.inbox.settleDue()).toBe(0);
      isBroken = false;
      await shop.advance(10_000);
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_1"]);
    });

    it.for([undefined, null, "", 0])("that throw %o count as failed", async (thrown, { shop }) => {
      shop.inbox.on("payment", "ship", {}, () => {
        throw thrown;
      });
      const id = await shop.paid("order_1");
      await shop.inbox.settleDue();
      expect(shop.told("retried")).toMatchObject([{ id, error: thrown }]);
      expect(shop.told("settled")).toEqual([]);
      const settling = shop.inbox.settle({ kind: "payment", id });
      await expect(settling.catch((error) => [error])).resolves.toEqual([thrown]);
    });

    it("do not hold each other up", async ({ shop }) => {
      shop.inbox.on("payment", "invoice", {}, () => {
        throw new Error("printer on fire");
      });
      ship(shop.inbox);
      await shop.paid("order_1");
      await shop.inbox.settleDue();
      await shop.advance(10_000);
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_1"]);
      expect(shop.told("retried")).toHaveLength(2);
    });

    it("do not run for states reached before they were registered", async ({ shop }) => {
      shop.inbox.on("payment", "other", {}, () => {});
      const id = await shop.paid("order_1");
      await shop.inbox.settleDue();
      await shop.advance(1000);
      const next = shop.openProcess();
      ship(next.inbox);
      await next.inbox.settleDue();
      await next.inbox.settle({ kind: "payment", id });
      expect(await shop.shipments()).toEqual([]);
    });

    it("run for a state that a webhook reported after they were registered, whenever it was reached", async ({
      shop,
    }) => {
      shop.deliverTo(async () => new Response());
      const id = await shop.paid("order_1");
      await shop.advance(86_400_000);
      shop.deliverTo(shop.inbox.fetchHandler());
      ship(shop.inbox);
      await shop.inbox.settleDue();
      await deliver(shop, "payment.updated", { id, status: "completed", orderId: "order_1" });
      // The call adds nothing to what the webhook said.
      await shop.inbox.settle({ kind: "payment", id });
      expect(await shop.shipments()).toEqual(["order_1"]);
    });

    it("run for states reached after `since`", async ({ shop }) => {
      await shop.paid("order_1");
      await shop.inbox.settleDue();
      const next = shop.openProcess();
      next.inbox.on(
        "payment",
        "ship",
        { states: ["completed"], since: new Date(0) },
        (tx, payment) => insert(tx, "shipments", payment.orderId ?? null, payment.status),
      );
      await next.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_1"]);
    });
  });

  describe("webhooks", () => {
    it("are answered with 200 only once they are stored", async ({ shop }) => {
      await shop.query("DROP TABLE {inbox_deliveries}");
      const { request } = signWebhook({
        event: { event: "payment.updated", data: { id: "p", status: "completed", orderId: "o" } },
        secret: shop.sandbox.webhookSecret,
      });
      const answer = await shop.handle(request("http://shop.example/"));
      expect(answer.status).toBe(500);
      expect((await shop.inbox.stats()).changed).toBe(0);
    });

    it("with a wrong signature change nothing", async ({ shop }) => {
      expect(
        (await deliver(shop, "payment.updated", { id: "p", status: "completed" }, "wrong")).status,
      ).toBe(401);
      expect((await shop.inbox.stats()).changed).toBe(0);
    });

    it("with an unknown event are stored and answered with 200", async ({ shop }) => {
      expect((await deliver(shop, "payout.completed", { id: "x", status: "done" })).status).toBe(
        200,
      );
      expect((await shop.inbox.stats()).changed).toBe(0);
      expect(shop.told("accepted")).toMatchObject([{ event: "payout.completed", kind: undefined }]);
    });

    it("say which secret signed them, so that a rotation can end", async ({ shop }) => {
      const secret = ["the new one", shop.sandbox.webhookSecret];
      const { inbox, told } = shop.openProcess({ webhooks: new Webhooks({ secret }) });
      shop.deliverTo(inbox.fetchHandler());
      await deliver(shop, "payment.updated", { id: "p", status: "completed" });
      await deliver(shop, "payment.updated", { id: "p", status: "completed" }, "the new one");
      expect(told("accepted")).toMatchObject([{ secretIndex: 1 }, { secretIndex: 0 }]);
    });

    it("that repeat a delivery byte for byte change nothing", async ({ shop }) => {
      const { request } = signWebhook({
        event: { event: "payment.updated", data: { id: "p", status: "completed", orderId: "o" } },
        secret: shop.sandbox.webhookSecret,
      });
      for (let n = 0; n < 3; n++) {
        expect((await shop.handle(request("http://shop.example/"))).status).toBe(200);
      }
      const news = await shop.query("SELECT news FROM {inbox_subjects}");
      expect(news.map((row) => Number(row.news))).toEqual([1]);
    });

    it("belong to the tenant of their route", async ({ shop }) => {
      const tenants: string[] = [];
      const other = shop.openProcess({
        client: (tenant) => {
          tenants.push(tenant);
          return shop.client;
        },
        webhooks: () => shop.webhooks,
      });
      other.inbox.on("payment", "note", {}, (tx, payment, { tenant }) =>
        insert(tx, "shipments", `${tenant} ${payment.orderId}`, payment.status),
      );
      shop.deliverTo(other.inbox.fetchHandler({ tenant: "a" }));
      const id = await shop.paid("order_1");
      shop.deliverTo(other.inbox.fetchHandler({ tenant: "b" }));
      await deliver(shop, "payment.updated", {
        id,
        status: "completed",
        orderId: "order_1",
        tenant: "c",
      });
      tenants.length = 0;
      await other.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["a order_1", "b order_1"]);
      expect(tenants.sort()).toEqual(["a", "b"]);
    });
  });
});
