import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  getMerchantWithdrawal,
  getWithdrawalConfig,
  listMerchantWithdrawals,
  listWithdrawals,
} from "../../src/wire/operations.ts";
import type { OpenedService } from "./contract.ts";

/** Interface sections 4.6 and 4.7; their answers are published or assumed. */
export function dashboardContract(service: OpenedService): void {
  const pathOf = (more: Readonly<Record<string, string>> = {}) => {
    const { merchantId = "" } = service().target.dashboard ?? {};
    return { path: { merchantId, ...more } };
  };
  const isClosed = () => service().target.dashboard === undefined;
  const noToken = "there is no access token";

  test("tell what can be withdrawn", async ({ skip }) => {
    skip(isClosed(), noToken);
    const { backendWallet, supported, limits } = await service().call(
      getWithdrawalConfig,
      pathOf(),
    );
    expect(backendWallet).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(supported.length).toBeGreaterThan(0);
    expect(limits.minAmountInCents).toBeGreaterThan(0);
    expect(limits.maxAmountInCents).toBeGreaterThan(limits.minAmountInCents);
  });

  test("support the chain that withdrawals are made on", async ({ skip }) => {
    const { withdrawals } = service().target;
    skip(isClosed(), noToken);
    if (typeof withdrawals !== "object") return skip("there is nobody to pay");
    const { supported } = await service().call(getWithdrawalConfig, pathOf());
    expect(supported.map(({ chain }) => chain?.chainId)).toContain(withdrawals.chainId);
  });

  test("list the withdrawals that the merchant's server lists", async ({ skip }) => {
    skip(isClosed(), noToken);
    const query = { limit: 10 };
    expect(await service().call(listMerchantWithdrawals, { ...pathOf(), query })).toEqual(
      await service().call(listWithdrawals, { query }),
    );
  });

  test("read one withdrawal", async ({ skip }) => {
    const { withdrawals } = service().target;
    skip(isClosed(), noToken);
    if (typeof withdrawals !== "object") return skip("there is nobody to pay");
    const { id } = await service().createWithdrawal(withdrawals);
    const read = await service().call(getMerchantWithdrawal, pathOf({ withdrawalId: id }));
    expect(read).toMatchObject({ id, status: "pending" });
  });

  test("know no withdrawal that does not exist", async ({ skip }) => {
    skip(isClosed(), noToken);
    const { status } = await service().refused(
      getMerchantWithdrawal,
      pathOf({ withdrawalId: randomUUID() }),
    );
    expect(status).toBe(404);
  });

  test("show nothing of another merchant", async ({ skip }) => {
    skip(isClosed(), noToken);
    const path = { merchantId: randomUUID() };
    const { status } = await service().refused(listMerchantWithdrawals, { path });
    expect([401, 403, 404]).toContain(status);
  });
}
