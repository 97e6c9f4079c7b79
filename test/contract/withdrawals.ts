import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { createWithdrawal, getWithdrawal, listWithdrawals } from "../../src/wire/operations.ts";
import type { Withdrawal } from "../../src/wire/withdrawal.ts";
import { newOrderId, type Service } from "./service.ts";
import { type Payee, sameChain, type Target } from "./target.ts";

/** Interface sections 2.5, 3.2, 4.4, 4.5 and 8. */
export function withdrawalContract(service: Service): void {
  const { withdrawals, conclude } = service.target;

  test("an unknown id is not found", async () => {
    const path = { withdrawalId: randomUUID() };
    expect((await service.refused(getWithdrawal, { path })).status).toBe(404);
  });

  test.each([
    ["limit", 0],
    ["limit", 1001],
    ["offset", -1],
  ])("the list refuses %s=%s", async (param, value) => {
    const { status, error } = await service.refused(listWithdrawals, {
      query: { [param]: value },
    });
    expect([400, 422]).toContain(status);
    expect(error).toMatchObject({ type: "invalid_request_error", param });
  });

  if (withdrawals === "disabled") {
    test("a withdrawal is refused when the merchant may not create any", async () => {
      const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
      const body = { amountInCents: 500, chainId: 84_532, recipientAddress };
      expect([400, 403, 422]).toContain((await service.refused(createWithdrawal, { body })).status);
    });
  } else if (withdrawals !== undefined) {
    possibleWithdrawals(service, withdrawals);
    if (conclude !== undefined) endedWithdrawals(service, withdrawals, conclude);
  }
}

function possibleWithdrawals(service: Service, payee: Payee): void {
  const list = listsOf(service);
  const created: Withdrawal[] = [];

  beforeAll(async () => {
    for (const amountInCents of [300, 500, 400]) {
      const customMetadata = JSON.stringify({ amountInCents });
      created.push(await service.createWithdrawal(payee, { amountInCents, customMetadata }));
    }
  });

  test("a new withdrawal is pending, with neither error nor receipt", () => {
    expect(created).toHaveLength(3);
    expect(created[1]).toMatchObject({
      amountInCents: 500,
      chainId: sameChain(payee.chainId),
      status: "pending",
      currency: "USD",
      orderId: expect.stringMatching(/^contract_/),
      customMetadata: '{"amountInCents":500}',
      errorMessage: null,
      receipt: null,
    });
    const addresses = created.map(({ recipientAddress }) => recipientAddress.toLowerCase());
    expect(new Set(addresses)).toEqual(new Set([payee.recipientAddress.toLowerCase()]));
  });

  test("a withdrawal is read by its id", async () => {
    const [first] = created;
    const withdrawal = await service.call(getWithdrawal, {
      path: { withdrawalId: first?.id ?? "" },
    });
    expect(withdrawal).toMatchObject({ id: first?.id, amountInCents: 300 });
  });

  test("a withdrawal needs neither order nor currency nor metadata", async () => {
    const { chainId, recipientAddress } = payee;
    const body = { amountInCents: 100, chainId, recipientAddress };
    const withdrawal = await service.call(createWithdrawal, { body });
    expect(withdrawal).toMatchObject({ amountInCents: 100, currency: "USD", status: "pending" });
  });

  test("a chain id may be in CAIP-2 form", async () => {
    const chainId = `eip155:${payee.chainId}`;
    const withdrawal = await service.createWithdrawal(payee, { chainId });
    expect([payee.chainId, chainId]).toContain(withdrawal.chainId);
  });

  test.each([
    ["99 cents", { amountInCents: 99 }, "amountInCents"],
    ["no cents", { amountInCents: 0 }, "amountInCents"],
    ["a negative amount", { amountInCents: -100 }, "amountInCents"],
    ["more than the maximum", { amountInCents: 100_000_001 }, "amountInCents"],
    ["an unsupported currency", { currency: "EUR" }, "currency"],
    ["an unknown chain", { chainId: 999_999_999 }, "chainId"],
    ["no chain", { chainId: undefined }, "chainId"],
    ["no recipient", { recipientAddress: undefined }, "recipientAddress"],
    ["a recipient that is not an address", { recipientAddress: "0x1234" }, "recipientAddress"],
    ["an order id of 256 characters", { orderId: "a".repeat(256) }, "orderId"],
    ["metadata of 2,049 characters", { customMetadata: `"${"a".repeat(2047)}"` }, "customMetadata"],
  ] as const)("%s is refused, naming the field", async (_, fields, param) => {
    const { chainId, recipientAddress } = payee;
    const body = { amountInCents: 500, chainId, recipientAddress, orderId: newOrderId() };
    const { status, error } = await service.refused(createWithdrawal, {
      body: { ...body, ...fields },
    });
    expect([400, 422]).toContain(status);
    expect(error).toMatchObject({
      type: "invalid_request_error",
      param,
      ...(param === "amountInCents" && { code: "invalid_amount" }),
    });
  });

  test("an Idempotency-Key is accepted, whether or not the service honours it", async () => {
    const { chainId, recipientAddress } = payee;
    const headers = { "Idempotency-Key": randomUUID() };
    const body = { amountInCents: 100, chainId, recipientAddress };
    await service.call(createWithdrawal, { body, headers });
  });

  test("the list is paginated", async () => {
    const { total } = (await list()).pagination;
    expect(total).toBeGreaterThanOrEqual(3);
    const whole = await list({ limit: 3 });
    const pages = [];
    for (const offset of [0, 1, 2]) pages.push(await list({ limit: 1, offset }));
    expect(pages.flatMap(({ data }) => data)).toEqual(whole.data);
    expect(pages.map(({ pagination }) => pagination.currentPage)).toEqual([1, 2, 3]);
    expect(whole.pagination).toMatchObject({ total, limit: 3, offset: 0 });
    expect((await list({ offset: total })).pagination.hasMore).toBe(false);
  });

  test("the list can be filtered by status; only failed ones have errors, only completed ones receipts", async () => {
    for (const status of ["pending", "processing", "completed", "failed", "cancelled"]) {
      const { data } = await list({ status, limit: 1000 });
      for (const withdrawal of data) {
        expect(withdrawal.status).toBe(status);
        if (status !== "failed") expect(withdrawal.errorMessage ?? null).toBeNull();
        if (status !== "completed") expect(withdrawal.receipt ?? null).toBeNull();
      }
      if (status !== "pending") continue;
      const ids = data.map(({ id }) => id);
      expect(ids).toEqual(expect.arrayContaining(created.map(({ id }) => id)));
    }
  });
}

function endedWithdrawals(
  service: Service,
  payee: Payee,
  conclude: NonNullable<Target["conclude"]>,
): void {
  const list = listsOf(service);

  test("a completed withdrawal has a receipt, in lists as well", async () => {
    const { id, updatedAt } = await service.createWithdrawal(payee);
    await conclude(id, "complete");
    const withdrawal = await service.call(getWithdrawal, { path: { withdrawalId: id } });
    expect(withdrawal).toMatchObject({
      status: "completed",
      errorMessage: null,
      receipt: {
        withdrawalId: id,
        settledChain: { chainId: sameChain(payee.chainId) },
        settledAmountAsset: expect.stringMatching(/^[1-9][0-9]*$/),
        settledAmountUsd: expect.stringMatching(/^[0-9]+(\.[0-9]+)?$/),
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    });
    expect(withdrawal.updatedAt > updatedAt).toBe(true);
    const [listed] = (await list({ status: "completed", limit: 1 })).data;
    expect(listed).toMatchObject({ id, receipt: withdrawal.receipt });
  });

  test("a failed withdrawal has an error message, in lists as well", async () => {
    const { id } = await service.createWithdrawal(payee);
    await conclude(id, "fail");
    const withdrawal = await service.call(getWithdrawal, { path: { withdrawalId: id } });
    expect(withdrawal).toMatchObject({ status: "failed", receipt: null });
    expect(withdrawal.errorMessage).toMatch(/./);
    const [listed] = (await list({ status: "failed", limit: 1 })).data;
    expect(listed).toMatchObject({ id, errorMessage: withdrawal.errorMessage });
  });

  test("a cancelled withdrawal has neither error nor receipt", async () => {
    const { id } = await service.createWithdrawal(payee);
    await conclude(id, "cancel");
    const withdrawal = await service.call(getWithdrawal, { path: { withdrawalId: id } });
    expect(withdrawal).toMatchObject({ status: "cancelled", errorMessage: null, receipt: null });
  });
}

function listsOf(service: Service) {
  return (query: Readonly<Record<string, string | number>> = {}) =>
    service.call(listWithdrawals, { query });
}
