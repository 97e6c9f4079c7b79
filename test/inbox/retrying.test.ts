import { expect, it } from "vitest";
import { databases } from "../databases.ts";
import { openNewShop } from "./shop.ts";

it.each(databases)(
  "retries at once if a webhook arrived during a failed attempt, on %s",
  async (_, open) => {
    const database = await open();
    const shop = await openNewShop(database);
    const [entered, leave] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let fails = true;
    shop.inbox.on("payment", "count", {}, () => undefined);
    const get = shop.client.payments.get.bind(shop.client.payments);
    shop.client.payments.get = (async (id: string) => {
      if (!fails) return get(id);
      fails = false;
      entered.resolve();
      await leave.promise;
      throw new Error("The service is down.");
    }) as never;
    const { paymentId } = await shop.client.payments.create({ amount: 2500, orderId: "order_1" });
    await shop.sandbox.webhooks.idle();
    const running = shop.inbox.settleDue();
    await entered.promise;
    await shop.advance(100);
    await shop.sandbox.payments.simulate(paymentId, "success");
    await shop.sandbox.webhooks.idle();
    leave.resolve();
    await running;
    expect(shop.told("retried")).toMatchObject([{ inMs: 0 }]);
    expect(shop.told("settled")).toMatchObject([{ status: "completed" }]);
    await database.close();
  },
);

it.each(databases)("names every effect that failed, on %s", async (_, open) => {
  const database = await open();
  const shop = await openNewShop(database);
  const fail = (text: string) => () => {
    throw new Error(text);
  };
  shop.inbox.on("payment", "ship", {}, fail("out of stock"));
  shop.inbox.on("payment", "count", {}, () => undefined);
  shop.inbox.on("payment", "thank", {}, fail("no address"));
  const id = await shop.paid("order_1");
  const error = {
    name: "AggregateError",
    message: "ship: Error: out of stock; thank: Error: no address",
  };
  await expect(shop.inbox.settle({ kind: "payment", id })).rejects.toMatchObject(error);
  expect(shop.told("retried")).toMatchObject([{ error, effects: ["ship", "thank"] }]);
  await database.close();
});
