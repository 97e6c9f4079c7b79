import { describe, expect, test } from "vitest";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { clientOf } from "../sandbox-client.ts";
import { ChangingList } from "./changing-list.ts";

describe("findByOrderId", () => {
  test("returns all objects with the order id, and no others", async () => {
    const { payments } = clientOf(createSandbox());
    const { paymentId: first } = await payments.create({ amount: 2500, orderId: "order_1" });
    await payments.create({ amount: 2500, orderId: "order_10" });
    const { paymentId: second } = await payments.create({ amount: 2500, orderId: "order_1" });
    const found = await payments.findByOrderId("order_1");
    expect(found.map(({ id }) => id)).toEqual([second, first]);
    expect(await payments.findByOrderId("order_2")).toEqual([]);
  });

  test("reads pages of a thousand to the end", async () => {
    const list = new ChangingList(2100);
    list.items.push({ id: "the first", orderId: "order_1" });
    const { withdrawals } = clientOf(createSandbox(), { fetch: list.fetch });
    expect(await withdrawals.findByOrderId("order_1")).toHaveLength(1);
    expect(list.reads.map(({ limit }) => limit)).toEqual([1000, 1000, 1000]);
    expect(list.reads[0]?.offset).toBe(0);
  });

  test("stops at createdAfter while pages are newest first", async () => {
    const list = new ChangingList(1100);
    const createdAt = "2026-01-01T00:00:00.000Z";
    list.items = list.items.map((item) => ({ ...item, createdAt }));
    const wanted = { id: "w", orderId: "payout_1", createdAt: "2026-01-01T01:00:00.000Z" };
    list.items.unshift(wanted);
    const { withdrawals } = clientOf(createSandbox(), { fetch: list.fetch });
    const options = { createdAfter: "2026-01-01T00:30Z" };
    expect(await withdrawals.findByOrderId("payout_1", options)).toEqual([wanted]);
    expect(list.reads).toHaveLength(1);
  });

  test("refuses a createdAfter in the future, which would cut off every list", async () => {
    const list = new ChangingList(1100);
    list.items = list.items.map((item) => ({ ...item, createdAt: "2026-01-01T00:00:00.000Z" }));
    const { withdrawals } = clientOf(createSandbox(), { fetch: list.fetch });
    const createdAfter = new Date(Date.parse("2026-01-01") * 1000);
    const finding = withdrawals.findByOrderId("payout_1", { createdAfter });
    await expect(finding).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "createdAfter",
      outcome: "not_sent",
    });
  });

  test("says how a createdAfter in the future compares with the service's clock", async () => {
    const { payments } = clientOf(createSandbox({ now: new Date("2026-01-01T00:00:00Z") }));
    const options = { createdAfter: "2026-01-02T00:00:00+01:00" };
    await expect(payments.findByOrderId("order_1", options)).rejects.toThrow(
      /is in the future: it is 2026-01-01T23:00:00.000Z, but the service's clock shows 2026-01-01T00:00:0.*this machine's clock/,
    );
  });

  test("uses the service's time, which a sandbox may have advanced", async () => {
    const sandbox = createSandbox();
    await sandbox.clock.advance("3000d");
    const { payments } = clientOf(sandbox);
    const { payment } = await payments.create({ amount: 2500, orderId: "order_1" });
    const options = { createdAfter: payment.createdAt };
    expect(await payments.findByOrderId("order_1", options)).toHaveLength(1);
  });

  test("is bound by one deadline, however many pages there are", async () => {
    const { withdrawals, time, calls } = clientOf(createSandbox(), {
      fetch: async (url) => {
        await time.sleep(400);
        const offset = Number(new URL(url).searchParams.get("offset"));
        const data = Array.from({ length: 1000 }, (_, index) => ({ id: `w${offset + index}` }));
        const pagination = { total: 1e6, limit: 1000, offset, hasMore: true };
        return Response.json({ data, pagination });
      },
    });
    const found = withdrawals.findByOrderId("order_1", { deadlineMs: 2000 });
    await expect(found).rejects.toMatchObject({ name: "TimeoutError", code: "deadline_exceeded" });
    expect(calls("withdrawals.list")).toBeLessThanOrEqual(5);
  });

  test.each([
    ["without id", { orderId: "order_1" }],
    ["with an odd order id", { id: "1", orderId: {} }],
    ["that is null", null],
  ])("rejects after an item %s instead of returning no match", async (_, item) => {
    const pagination = { total: 1, limit: 1000, offset: 0, hasMore: false };
    const { withdrawals } = clientOf(createSandbox(), {
      fetch: () => Promise.resolve(Response.json({ data: [item], pagination })),
    });
    await expect(withdrawals.findByOrderId("order_1")).rejects.toMatchObject({
      name: "UnexpectedResponseError",
      code: "unreadable_list",
    });
  });

  test("names maxResponseBytes when a page is larger", async () => {
    const list = new ChangingList(100);
    const { withdrawals } = clientOf(createSandbox(), { fetch: list.fetch, maxResponseBytes: 500 });
    await expect(withdrawals.findByOrderId("order_1")).rejects.toMatchObject({
      code: "response_too_large",
      message: expect.stringContaining("Raise maxResponseBytes"),
    });
  });

  test("matches a number that reads like the order id", async () => {
    const item = { id: "1", orderId: 77, createdAt: "2026-01-01T00:00:00Z" };
    const pagination = { total: 1, limit: 1000, offset: 0, hasMore: false };
    const { withdrawals } = clientOf(createSandbox(), {
      fetch: () => Promise.resolve(Response.json({ data: [item], pagination })),
    });
    expect(await withdrawals.findByOrderId("77")).toEqual([item]);
  });

  test.each([
    ["", {}, "orderId"],
    ["order_1", { createdAfter: "yesterday" }, "createdAfter"],
    ["order_1", { createdAfter: "01/02/2026" }, "createdAfter"],
    ["order_1", { createdAfter: "2026-01-01" }, "createdAfter"],
    ["order_1", { createdAfter: new Date(Number.NaN) }, "createdAfter"],
    ["order_1", { createdAfter: Symbol("a") as never }, "createdAfter"],
  ])("refuses %j with %o", async (orderId, options, param) => {
    const { withdrawals, calls } = clientOf(createSandbox());
    await expect(withdrawals.findByOrderId(orderId, options)).rejects.toMatchObject({ param });
    expect(calls("withdrawals.list")).toBe(0);
  });
});
