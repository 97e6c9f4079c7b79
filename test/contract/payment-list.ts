import { beforeAll, expect, test } from "vitest";
import { listPayments } from "../../src/wire/operations.ts";
import type { CreatedPayment } from "../../src/wire/payment.ts";
import type { Service } from "./service.ts";

/** Interface sections 2.7 and 4.2; the parameters are published elsewhere. */
export function paymentListContract(service: Service): void {
  const { depositsEnabled, settle } = service.target;
  let created: CreatedPayment[];

  beforeAll(async () => {
    created = [];
    for (const amount of [700, 900, 500]) created.push(await service.createPayment({ amount }));
  });

  const list = (query: Readonly<Record<string, string | number>> = {}) =>
    service.call(listPayments, { query });
  const mine = () => created.map(({ paymentId }) => paymentId);

  test("is newest first, with at most 100 items by default", async () => {
    const { data, pagination } = await list();
    expect(pagination).toMatchObject({ limit: 100, offset: 0, currentPage: 1 });
    expect(data.slice(0, 3).map(({ id }) => id)).toEqual(mine().toReversed());
    const times = data.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("can be read page by page, each item once", async () => {
    const whole = await list({ limit: 3 });
    const pages = [];
    for (const offset of [0, 1, 2]) pages.push(await list({ limit: 1, offset }));
    expect(pages.flatMap(({ data }) => data)).toEqual(whole.data);
    expect(pages.map(({ pagination }) => pagination.currentPage)).toEqual([1, 2, 3]);
  });

  test("reports the position of every page", async () => {
    const { pagination } = await list({ limit: 2 });
    const { total } = pagination;
    expect(total).toBeGreaterThanOrEqual(3);
    expect(pagination).toMatchObject({ hasMore: true, totalPages: Math.ceil(total / 2) });

    const last = await list({ limit: 2, offset: total - 1 });
    expect(last.data).toHaveLength(1);
    expect(last.pagination).toMatchObject({ total, limit: 2, offset: total - 1, hasMore: false });

    const exact = await list({ limit: 3, offset: total - 3 });
    expect(exact.data).toHaveLength(3);
    expect(exact.pagination).toMatchObject({ total, hasMore: false });

    const beyond = await list({ offset: total + 10 });
    expect(beyond.data).toEqual([]);
    expect(beyond.pagination).toMatchObject({ total, hasMore: false });
  });

  test.each([1, 1000])("accepts a limit of %i", async (limit) => {
    const { data, pagination } = await list({ limit });
    expect(pagination.limit).toBe(limit);
    expect(data.length).toBeLessThanOrEqual(limit);
  });

  test.each([
    ["limit", 0],
    ["limit", 1001],
    ["limit", -1],
    ["limit", 1.5],
    ["limit", "many"],
    ["offset", -1],
    ["offset", "far"],
  ])("refuses %s=%s", async (param, value) => {
    const { status, error } = await service.refused(listPayments, { query: { [param]: value } });
    expect([400, 422]).toContain(status);
    expect(error).toMatchObject({ type: "invalid_request_error", param });
  });

  test.each([
    ["ASC", (a: number, b: number) => a - b],
    ["DESC", (a: number, b: number) => b - a],
  ])("can be sorted by amount, %s", async (sortOrder, order) => {
    const { data } = await list({ sortBy: "amountInCents", sortOrder, limit: 1000 });
    const amounts = data.map(({ amountInCents }) => amountInCents);
    expect(amounts).toEqual(amounts.toSorted(order));
    expect(new Set(amounts).size).toBeGreaterThan(2);
  });

  test("can be sorted by creation, oldest first", async () => {
    const { total } = (await list({ limit: 1 })).pagination;
    const query = { sortBy: "createdAt", sortOrder: "ASC", limit: 3, offset: total - 3 };
    expect((await list(query)).data.map(({ id }) => id)).toEqual(mine());
  });

  test("can be filtered by status", async () => {
    const pending = await list({ status: "pending", limit: 1000 });
    expect(pending.data.map(({ id }) => id)).toEqual(expect.arrayContaining(mine()));
    expect(new Set(pending.data.map(({ status }) => status))).toEqual(new Set(["pending"]));
  });

  if (settle !== undefined) {
    test("can be filtered by a status that payments have reached", async () => {
      const { paymentId } = await service.createPayment();
      await settle(paymentId);
      const completed = await list({ status: "completed", limit: 1000 });
      expect(completed.data.map(({ id }) => id)).toContain(paymentId);
      expect(new Set(completed.data.map(({ status }) => status))).toEqual(new Set(["completed"]));
      const stillPending = await list({ status: "pending", limit: 1000 });
      expect(stillPending.data.map(({ id }) => id)).not.toContain(paymentId);
    });
  }

  if (depositsEnabled) {
    test("can be filtered by type", async () => {
      const { paymentId } = await service.createPayment({ type: "deposit" });
      const deposits = await list({ type: "deposit", limit: 1000 });
      expect(deposits.data.map(({ id }) => id)).toContain(paymentId);
      expect(new Set(deposits.data.map(({ type }) => type))).toEqual(new Set(["deposit"]));
      const payments = await list({ type: "payment", limit: 1000 });
      expect(new Set(payments.data.map(({ type }) => type))).toEqual(new Set(["payment"]));
      expect(deposits.pagination.total + payments.pagination.total).toBe(
        (await list()).pagination.total,
      );
    });
  }

  test("finds part of an id and part of an address, but no order id", async () => {
    const [first] = created;
    const { paymentId = "", payment } = first ?? {};
    const found = async (search: string) => (await list({ search })).data.map(({ id }) => id);
    expect(await found(paymentId)).toEqual([paymentId]);
    expect(await found(paymentId.slice(4, 30))).toEqual([paymentId]);
    expect(await found((payment?.depositAddress?.address ?? "").slice(2, 36))).toEqual([paymentId]);
    expect(await found(payment?.orderId ?? "")).toEqual([]);
  });

  if (settle !== undefined) {
    test("finds a transaction by its hash and by its sender", async () => {
      const { paymentId } = await service.createPayment();
      await settle(paymentId);
      const { receipt } = (await list({ search: paymentId })).data[0] ?? {};
      for (const search of [receipt?.txHash, receipt?.txSenderAddress]) {
        const { data } = await list({ search: search ?? "no such thing" });
        expect(data.map(({ id }) => id)).toEqual([paymentId]);
      }
    });
  }
}
