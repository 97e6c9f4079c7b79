import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  createMerchantWithdrawal,
  getMerchantWithdrawal,
  getWithdrawal,
  getWithdrawalConfig,
  listMerchantWithdrawals,
  listWithdrawals,
} from "../../src/wire/operations.ts";
import type { Service } from "./service.ts";
import { caip2 } from "./target.ts";

/** Interface sections 4.6 and 4.7; their answers are published or assumed. */
export function dashboardContract(service: Service): void {
  const { dashboard, withdrawals } = service.target;
  if (dashboard === undefined) return;
  const { merchantId } = dashboard;
  const pathOf = (more: Readonly<Record<string, string>> = {}) => ({
    path: { merchantId, ...more },
  });

  test("return the supported tokens and the limits of withdrawals", async () => {
    const { backendWallet, supported, limits } = await service.call(getWithdrawalConfig, pathOf());
    expect(backendWallet).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(supported.length).toBeGreaterThan(0);
    expect(limits.minAmountInCents).toBeGreaterThan(0);
    expect(limits.maxAmountInCents).toBeGreaterThan(limits.minAmountInCents);
  });

  if (typeof withdrawals === "object") {
    test("support the chain that withdrawals are made on", async () => {
      const { supported } = await service.call(getWithdrawalConfig, pathOf());
      const chainIds = supported.map(({ chain }) => caip2(chain?.chainId));
      expect(chainIds).toContain(caip2(withdrawals.chainId));
    });

    test("create a withdrawal that the merchant's server can read", async () => {
      const { recipientAddress, chainId } = withdrawals;
      const body = { amountInCents: 500, recipientAddress, chainId };
      const created = await service.call(createMerchantWithdrawal, { ...pathOf(), body });
      expect(created).toMatchObject({ status: "pending", amountInCents: 500 });
      const path = { withdrawalId: created.id };
      expect((await service.call(getWithdrawal, { path })).amountInCents).toBe(500);
    });
  }

  test("list the withdrawals that the merchant's server lists", async () => {
    const query = { limit: 10 };
    expect(await service.call(listMerchantWithdrawals, { ...pathOf(), query })).toEqual(
      await service.call(listWithdrawals, { query }),
    );
  });

  if (typeof withdrawals === "object") {
    test("read one withdrawal", async () => {
      const { id } = await service.createWithdrawal(withdrawals);
      const read = await service.call(getMerchantWithdrawal, pathOf({ withdrawalId: id }));
      expect(read).toMatchObject({ id, status: "pending" });
    });
  }

  test("answer 404 for an unknown withdrawal", async () => {
    const { status } = await service.refused(
      getMerchantWithdrawal,
      pathOf({ withdrawalId: randomUUID() }),
    );
    expect(status).toBe(404);
  });

  test("refuse to list another merchant's withdrawals", async () => {
    const path = { merchantId: randomUUID() };
    const { status } = await service.refused(listMerchantWithdrawals, { path });
    expect([401, 403, 404]).toContain(status);
  });
}
