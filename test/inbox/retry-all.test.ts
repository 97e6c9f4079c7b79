import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { databases, type TestDatabase } from "../databases.ts";
import { insert } from "./ship.ts";
import { openNewShop, type Shop } from "./shop.ts";

describe.each(databases)("after a fix, an operator on %s", (_, openDatabase) => {
  let database: TestDatabase;
  let shop: Shop;
  beforeEach(async () => {
    database = await openDatabase();
    shop = await openNewShop(database);
  });
  afterEach(() => database.close());

  it("sees what fails before it is parked, and retries one or all of it after a fix", async () => {
    let isBroken = true;
    shop.inbox.on("payment", "ship", { states: ["completed"] }, (tx, payment) => {
      if (isBroken) throw new Error("out of stock");
      return insert(tx, "shipments", payment.orderId ?? null, "") as undefined;
    });
    for (const orderId of ["order_1", "order_2", "order_3"]) await shop.paid(orderId);
    expect(await shop.inbox.failing()).toEqual([]);
    await shop.inbox.settleDue();
    const failing = await shop.inbox.failing();
    expect(failing).toHaveLength(3);
    const [first] = failing;
    expect(first).toMatchObject({ kind: "payment", failures: 1, tenant: "" });
    expect(first?.reason).toBe("ship: Error: out of stock");
    expect(first?.nextAttempt.getTime()).toBeGreaterThan(first?.since.getTime() ?? 0);
    isBroken = false;
    await expect(shop.inbox.retry(undefined as never)).rejects.toThrow(/that failed has the id/);
    expect(await shop.inbox.settleDue()).toBe(0);
    await shop.inbox.retry(first?.id ?? "");
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toHaveLength(1);
    expect(await shop.inbox.retryAll()).toBe(2);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toHaveLength(3);
    expect(await shop.inbox.failing()).toEqual([]);
    expect(await shop.inbox.retryAll()).toBe(0);
  });

  it("sees a failing task, and retries it", async () => {
    let isBroken = true;
    shop.inbox.on("payment", "ship", { states: ["completed"] }, (_tx, _payment, { after }) => {
      after("email");
    });
    shop.inbox.task("email", () => {
      if (isBroken) throw new Error("no mail server");
    });
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    expect(await shop.inbox.failing()).toMatchObject([
      { kind: "task", failures: 1, reason: "Error: no mail server" },
    ]);
    isBroken = false;
    expect(await shop.inbox.retryAll()).toBe(1);
    await shop.inbox.settleDue();
    expect((await shop.inbox.stats()).tasks).toBe(0);
  });
});
