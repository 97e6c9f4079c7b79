import { describe, expect, vi } from "vitest";
import type { Payment } from "../../src/index.ts";
import { signWebhook } from "../../src/webhooks/index.ts";
import { insert } from "./insert.ts";
import { ship, shops } from "./shop.ts";

describe.each(shops)("operating an inbox on %s", (_, it) => {
  describe("an operator", () => {
    it("sees a subject that failed 25 times, and retries it", async ({ shop }) => {
      let isBroken = true;
      shop.inbox.on("payment", "ship", { states: ["completed"] }, (tx, payment) => {
        if (isBroken) throw new Error("out of stock");
        return insert(tx, "shipments", payment.orderId ?? null, "") as undefined;
      });
      const id = await shop.paid("order_1");
      for (let n = 0; n < 25; n++) {
        expect(await shop.inbox.parked()).toEqual([]);
        await shop.inbox.settleDue();
        await shop.advance(86_400_000);
      }
      const [parked] = await shop.inbox.parked();
      expect(parked).toMatchObject({
        kind: "payment",
        subject: id,
        tenant: "",
        reason: "ship: Error: out of stock",
        failures: 25,
        since: expect.any(Date),
      });
      expect(shop.told("parked")).toHaveLength(1);
      expect(await shop.inbox.settleDue()).toBe(0);
      isBroken = false;
      await shop.inbox.retry(parked?.id ?? "");
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["order_1"]);
      expect(await shop.inbox.parked()).toEqual([]);
      const again = shop.inbox.retry(parked?.id ?? "");
      await expect(again).rejects.toMatchObject({ name: "NotFoundError", code: "not_parked" });
      expect(JSON.stringify(shop.inbox)).toBe("{}");
    });

    it.for([
      [Object.assign(Object.create(null), { message: "out of stock" }), "out of stock"],
      [Object.create(null), "an object"],
      [{ code: 7 }, "an object"],
      ["out of stock", "out of stock"],
      [null, "null"],
    ] as const)(
      "sees why an effect failed, even if it threw something other than an Error: %#",
      async ([thrown, reason], { shop }) => {
        shop.inbox.on("payment", "ship", { states: ["completed"] }, () => {
          throw thrown;
        });
        await shop.paid("order_1");
        await shop.inbox.settleDue();
        expect(shop.told("failed")).toEqual([]);
        expect(shop.told("retried")).toMatchObject([{ failures: 1, error: thrown }]);
        expect(await shop.query("SELECT problem FROM {inbox_subjects}")).toEqual([
          { problem: `ship: ${reason}` },
        ]);
      },
    );
  });

  describe("settle", () => {
    it("works without any webhook", async ({ shop }) => {
      ship(shop.inbox);
      shop.deliverTo(async () => new Response());
      const id = await shop.paid("order_1");
      expect(await shop.inbox.settle({ kind: "payment", id })).toBe(true);
      expect(await shop.shipments()).toEqual(["order_1"]);
    });

    it("rethrows the effect's error, and leaves its subject to be retried", async ({ shop }) => {
      shop.deliverTo(async () => new Response());
      shop.inbox.on("payment", "ship", {}, () => {
        throw new Error("out of stock");
      });
      const id = await shop.paid("order_1");
      await expect(shop.inbox.settle({ kind: "payment", id })).rejects.toThrow("out of stock");
      expect(await shop.inbox.failing()).toMatchObject([{ subject: id, failures: 1 }]);
    });

    it("leaves other payments, a withdrawal with the same id and an order with this name to the workers", async ({
      shop,
    }) => {
      await shop.paid("order_0");
      const id = await shop.paid("order_1");
      for (const [event, data] of [
        ["withdrawal.updated", { id, status: "completed" }],
        ["payment.updated", { orderId: id, status: "completed" }],
      ] as const) {
        const signed = { event: { event, data } as never, secret: shop.sandbox.webhookSecret };
        await shop.handle(signWebhook(signed).request("https://shop.example/webhooks"));
      }
      await shop.inbox.settle({ kind: "payment", id });
      expect(await shop.inbox.settleDue()).toBe(3);
    });

    it("forgets a mistyped id, but keeps a subject that a webhook named", async ({ shop }) => {
      ship(shop.inbox);
      const unknown = { name: "NotFoundError", code: "unknown_subject" };
      const mistyped = "00000000-0000-4000-8000-000000000000";
      const settle = (id = mistyped) => shop.inbox.settle({ kind: "payment", id });
      await expect(settle()).rejects.toMatchObject(unknown);
      await expect(settle("undefined")).rejects.toMatchObject({ param: "paymentId" });
      expect(await shop.inbox.stats()).toMatchObject({ changed: 0, parked: 0 });
      const event = { event: "payment.updated", data: { id: mistyped } } as never;
      const { request } = signWebhook({ event, secret: shop.sandbox.webhookSecret });
      await shop.handle(request("https://shop.example/webhooks"));
      await expect(settle()).rejects.toMatchObject(unknown);
      expect(shop.told("retried")).toHaveLength(1);
      expect(await shop.inbox.stats()).toMatchObject({ changed: 1 });
    });
  });

  describe("settle with other tenants and workers", () => {
    it("rejects a tenant when all tenants share one client", async ({ shop }) => {
      ship(shop.inbox);
      const id = await shop.paid("order_1");
      const settling = shop.inbox.settle({ kind: "payment", id, tenant: "a" });
      await expect(settling).rejects.toMatchObject({ code: "invalid_option", param: "client" });
    });

    it("returns false when another worker may have taken over in the meantime", async ({
      shop,
    }) => {
      ship(shop.inbox);
      const id = await shop.paid("order_1");
      const { get } = shop.client.payments;
      vi.spyOn(shop.client.payments, "get").mockImplementation(((paymentId: string) =>
        // Longer than a lease.
        shop.advance(31_000).then(() => get.call(shop.client.payments, paymentId))) as never);
      expect(await shop.inbox.settle({ kind: "payment", id })).toBe(false);
      expect(await shop.shipments()).toEqual([]);
    });
  });

  it("removes deliveries after 30 days in a worker, and keeps the record of effects", async ({
    shop,
  }) => {
    ship(shop.inbox);
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.advance(31 * 86_400_000);
    await using _worker = shop.inbox.start({ reconcileEvery: false });
    const count = async (table: string) => (await shop.query(`SELECT * FROM {${table}}`)).length;
    await vi.waitFor(async () => expect(await count("inbox_deliveries")).toBe(0));
    expect(await count("inbox_effects")).toBe(1);
  });

  it("removes only old deliveries in settleDue, too, however many there are", async ({ shop }) => {
    const some = Array.from({ length: 2_001 }, (_, n) => `('', '${n}', 'x', 0, 0)`);
    await shop.query(
      `INSERT INTO {inbox_deliveries} (tenant, delivery_key, event, signed_at, received_at) VALUES ${some.join()}`,
    );
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    const left = await shop.query("SELECT DISTINCT event FROM {inbox_deliveries} ORDER BY event");
    expect(left).toEqual([{ event: "payment.created" }, { event: "payment.updated" }]);
  });

  it("runs an effect for a refund that only the list shows, however old the payment", async ({
    shop,
  }) => {
    await shop.paid("order_1");
    await shop.query("DELETE FROM {inbox_subjects}");
    await shop.advance(86_400_000);
    const refunded: unknown[] = [];
    const note = (_: unknown, { orderId }: Payment) => void refunded.push(orderId);
    shop.inbox.on("payment", "refund", { states: ["refunded"] }, note as never);
    await shop.inbox.settleDue();
    const { get } = shop.client.payments;
    vi.spyOn(shop.client.payments, "get").mockImplementation((async (id: string) => ({
      ...(await get.call(shop.client.payments, id)),
      status: "refunded",
    })) as never);
    await shop.inbox.reconcile({ since: new Date("2020-01-01") });
    await shop.inbox.settleDue();
    expect(refunded).toEqual(["order_1"]);
  });

  it("runs an effect that was added after the inbox was first used", async ({ shop }) => {
    await shop.inbox.reconcile();
    await shop.inbox.start().stop();
    ship(shop.inbox);
    await using _worker = shop.inbox.start({ reconcileEvery: false });
    await shop.paid("order_1");
    await vi.waitFor(async () => expect(await shop.shipments()).toEqual(["order_1"]));
  });

  it("refuses duplicate and invalid effect names", ({ shop }) => {
    ship(shop.inbox);
    expect(() => ship(shop.inbox)).toThrow(/Two effects on payment are called "ship"/);
    expect(() => shop.inbox.on("payment", "", {}, () => {})).toThrow(/name of the effect must be/);
    const name = "x".repeat(100);
    shop.inbox.on("payment", name, {}, () => {}).task(name, () => {});
    const tooLong = /must be up to 100 letters, digits or \. : - _, got "x+/;
    expect(() => shop.inbox.on("payment", `${name}x`, {}, () => {})).toThrow(tooLong);
    expect(() => shop.inbox.task(`${name}x`, () => {})).toThrow(tooLong);
    expect(() => shop.inbox.on("order" as never, "x", {}, () => {})).toThrow(
      /kind must be "payment" or "withdrawal", got "order"/,
    );
    const on = Reflect.apply.bind(null, shop.inbox.on, shop.inbox);
    expect(() => on(["payment", "x", () => {}])).toThrow(/Call inbox.on\(kind, name, opt/);
    shop.inbox.task("email", () => {});
    expect(() => shop.inbox.task("email", () => {})).toThrow(/Two tasks are called "email"/);
  });

  it.for([
    ["states", { states: "completed" }],
    ["states", { states: [] }],
    ["states", { states: ["completed", 5] }],
    ["since", { since: "2026-01-01" }],
    ["since", { since: new Date("soon") }],
  ] as const)("refuses an effect with invalid %s: %o", ([param, options], { shop }) => {
    expect(() => shop.inbox.on("payment", "x", options as never, () => {})).toThrow(
      expect.objectContaining({ code: "invalid_option", param }),
    );
  });

  it.for([
    ["kind", { kind: "order", id: "p" }],
    ["id", { kind: "payment", id: "" }],
    ["id", { kind: "payment" }],
    ["tenant", { kind: "payment", id: "p", tenant: 5 }],
  ] as const)(
    "refuses to settle an invalid subject: %s of %o",
    async ([param, subject], { shop }) => {
      const settling = shop.inbox.settle(subject as never);
      await expect(settling).rejects.toMatchObject({ code: "invalid_option", param });
      expect((await shop.inbox.stats()).changed).toBe(0);
    },
  );

  it("starts nothing more once the signal of settleDue aborts, and releases its claims", async ({
    shop,
  }) => {
    const ending = new AbortController();
    const shipped: unknown[] = [];
    shop.inbox.on("payment", "note", {}, (_, { orderId }) => {
      ending.abort();
      shipped.push(orderId);
    });
    for (let n = 0; n < 5; n++) await shop.paid(`order_${n}`);
    await shop.inbox.settleDue({ concurrency: 1, signal: ending.signal });
    expect(shipped).toHaveLength(1);
    await shop.inbox.settleDue();
    expect(new Set(shipped).size).toBe(5);
    const aborting = shop.inbox.settleDue({ signal: ending as never });
    await expect(aborting).rejects.toThrow("signal must be an AbortSignal");
  });

  it("refuses to reconcile from an invalid date", async ({ shop }) => {
    const walking = shop.inbox.reconcile({ since: new Date("soon") });
    await expect(walking).rejects.toMatchObject({ code: "invalid_option", param: "since" });
  });

  it("logs that a subject was parked, and why", async ({ shop }) => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const { inbox } = shop.openProcess({ logger });
    inbox.on("payment", "ship", {}, () => {
      throw new Error("out of stock");
    });
    const id = await shop.paid("order_1");
    await shop.query("UPDATE {inbox_subjects} SET failures = 24");
    await inbox.settleDue();
    expect(logger.error.mock.calls).toEqual([
      [expect.stringMatching(`^The payment ${id} is parked; .* ship: Error: out of stock$`)],
    ]);
  });

  it("warns about a status that nothing can have", async ({ shop }) => {
    const logger = { warn: vi.fn(), error: vi.fn() };
    const { inbox } = shop.openProcess({ logger });
    inbox.on("payment", "ship", { states: ["complete", "on_its_way", "confirmed"] }, () => {});
    expect(logger.warn.mock.calls).toEqual([
      ['The effect ship runs for an unknown status, "complete". Did you mean "completed"?'],
      [expect.stringContaining('"on_its_way". The known statuses of a payment are pending, ')],
    ]);
  });
});
