import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operationPaths } from "../../../src/sandbox/serving/operation-paths.ts";
import { operationTable } from "../../../src/wire/operations.ts";

const { getWithdrawalConfig, getMerchantWithdrawal, listMerchantWithdrawals } = operationTable;
const items = [
  // As the sandbox has it: what is more exact comes first.
  getWithdrawalConfig,
  ...Object.values(operationTable).filter((operation) => operation !== getWithdrawalConfig),
].map((operation) => ({ operation }));
const paths = operationPaths(items);

describe("the operation of a path", () => {
  it("is found for every operation, with the values of its placeholders, decoded", () => {
    const id = fc.string({ minLength: 1, unit: "binary" }).filter((text) => text.isWellFormed());
    fc.assert(
      fc.property(fc.constantFrom(...items), id, ({ operation }, value) => {
        if (operation === getMerchantWithdrawal && value === "config") return;
        const pathname = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(value));
        const found = paths.find(operation.method, pathname);
        expect(found?.item.operation).toBe(operation);
        const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        expect(found?.path).toEqual(Object.fromEntries(names.map((name) => [name, value])));
      }),
    );
  });

  it("is the more exact one that comes first", () => {
    const { path } = listMerchantWithdrawals;
    const list = path.replace("{merchantId}", "m");
    expect(paths.find("GET", `${list}/config`)?.item.operation).toBe(getWithdrawalConfig);
    expect(paths.find("GET", `${list}/other`)?.item.operation).toBe(getMerchantWithdrawal);
  });

  it.each([
    "",
    "/",
    "/v1/external/secretkey-auth/payments/",
    "/v1/external/secretkey-auth/payments/a/b",
    "/v1/external/secretkey-auth",
    "//v1/external/secretkey-auth/payments",
    "/V1/external/secretkey-auth/payments",
  ])("is none for %j", (pathname) => {
    expect(paths.find("GET", pathname)).toBeUndefined();
    expect(paths.withOtherMethod(pathname)).toBeUndefined();
  });

  it("keeps what cannot be decoded as it is, which is nobody's id", () => {
    const found = paths.find("GET", "/v1/external/secretkey-auth/payments/%E0%A4");
    expect(found?.path).toEqual({ paymentId: "%E0%A4" });
  });
});
