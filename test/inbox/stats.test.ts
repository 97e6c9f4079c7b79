import { describe, expect, vi } from "vitest";
import { ship, shops } from "./shop.ts";

describe.each(shops)("the stats of an inbox on %s", (_, it) => {
  it("show how far it is behind", async ({ shop }) => {
    ship(shop.inbox);
    await shop.paid("order_1");
    await shop.advance(5_000);
    expect(await shop.inbox.stats()).toMatchObject({
      changed: 1,
      lagMs: 5_000,
      oldestChanged: expect.any(Date),
      parked: 0,
      settledPerMinute: 0,
    });
    await shop.inbox.settleDue();
    expect(await shop.inbox.stats()).toMatchObject({
      changed: 0,
      lagMs: 0,
      oldestChanged: undefined,
      settledPerMinute: 1,
    });
  });

  it("count what is parked apart, and only what was settled in the last minute", async ({
    shop,
  }) => {
    shop.inbox.task("email", () => undefined);
    shop.inbox.on("payment", "mail", { states: ["completed"] }, (_tx, { orderId }, { after }) => {
      if (orderId === "order_2") throw new Error("out of stock");
      after("email");
    });
    const good = await shop.paid("order_1");
    const bad = await shop.paid("order_2");
    await shop.inbox.settle({ kind: "payment", id: good });
    await expect(shop.inbox.settle({ kind: "payment", id: bad })).rejects.toThrow("out of stock");
    expect(await shop.inbox.stats()).toMatchObject({ tasks: 1, settledPerMinute: 1 });
    await shop.query("UPDATE {inbox_tasks} SET parked_at = 1, failures = 25");
    await shop.query("UPDATE {inbox_subjects} SET parked_at = 2 WHERE news > seen");
    await shop.advance(60_001);
    const none = { changed: 0, lagMs: 0, tasks: 0, settledPerMinute: 0 };
    expect(await shop.inbox.stats()).toMatchObject({ ...none, parked: 2 });
    expect(await shop.inbox.failing()).toEqual([]);
    const parked = await shop.inbox.parked();
    expect(parked.map(({ kind }) => kind)).toEqual(["task", "payment"]);
  });

  it("count the lag of the oldest task that has not run", async ({ shop }) => {
    shop.inbox.task("email", () => undefined);
    shop.inbox.on("payment", "mail", {}, (_tx, _payment, tools) => tools.after("email"));
    for (const orderId of ["order_1", "order_2"]) {
      await shop.inbox.settle({ kind: "payment", id: await shop.paid(orderId) });
      await shop.advance(1_000);
    }
    expect(await shop.inbox.stats()).toMatchObject({ changed: 0, tasks: 2, lagMs: 2_000 });
  });

  it("show no lag once the database's clock was set back", async ({ shop }) => {
    await shop.paid("order_1");
    await shop.advance(-60_000);
    expect(await shop.inbox.stats()).toMatchObject({ changed: 1, lagMs: 0 });
  });

  it("show no lag from a change that was settled while another one arrived", async ({ shop }) => {
    ship(shop.inbox);
    const id = await shop.paid("order_1");
    const get = shop.client.payments.get.bind(shop.client.payments);
    vi.spyOn(shop.client.payments, "get").mockImplementationOnce((async (paymentId: string) => {
      const payment = await get(paymentId);
      await shop.inbox.settle({ kind: "payment", id });
      return payment;
    }) as never);
    await shop.advance(60_000);
    expect(await shop.inbox.settle({ kind: "payment", id })).toBe(true);
    await shop.advance(1_000);
    expect(await shop.inbox.stats()).toMatchObject({ changed: 1, lagMs: 1_000 });
  });

  it("count the lag of a payment from the first webhook since it was settled", async ({ shop }) => {
    const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_1" });
    await shop.sandbox.webhooks.idle();
    await shop.inbox.settleDue();
    await shop.advance(86_400_000);
    await shop.sandbox.payments.simulate(paymentId, "timeout");
    await shop.sandbox.webhooks.idle();
    await shop.advance(1_000);
    expect(await shop.inbox.stats()).toMatchObject({ lagMs: 1_000 });
    await shop.sandbox.payments.simulate(paymentId, "late");
    await shop.sandbox.webhooks.idle();
    await shop.advance(1_000);
    expect(await shop.inbox.stats()).toMatchObject({ lagMs: 2_000 });
  });
});
