import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toChecksumAddress } from "../../src/evm/address.ts";
import { nativePaymentUri, tokenPaymentUri } from "../../src/evm/payment-uri.ts";
import { anyAddress } from "./arbitraries.ts";
import { thrownBy } from "./thrown-by.ts";

const address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const tokenAddress = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const zero = `0x${"0".repeat(40)}`;
const sentinel = `0x${"e".repeat(40)}`;
const payment = { address, chainId: 8453, amountUnits: "25000000", tokenAddress };

const anyPayment = fc.record({
  address: anyAddress.filter((candidate) => candidate !== zero && candidate !== sentinel),
  chainId: fc.maxSafeNat().map((number) => Math.max(number, 1)),
  amountUnits: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
});

describe("a payment URI", () => {
  it("asks for a native asset by its recipient, chain and value", () => {
    expect(nativePaymentUri({ address, chainId: 1, amountUnits: 10n ** 18n })).toBe(
      "ethereum:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed@1?value=1000000000000000000",
    );
  });

  it("asks for a token by its contract, chain, recipient and amount", () => {
    expect(tokenPaymentUri(payment)).toBe(
      "ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer" +
        "?address=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed&uint256=25000000",
    );
  });

  it("writes addresses in their checksum form", () => {
    const lower = {
      ...payment,
      address: address.toLowerCase(),
      tokenAddress: tokenAddress.toLowerCase(),
    };
    expect(tokenPaymentUri(lower)).toBe(tokenPaymentUri(payment));
    expect(nativePaymentUri(lower)).toBe(nativePaymentUri(payment));
  });

  it("reads back as the native payment that it was made from", () => {
    fc.assert(
      fc.property(anyPayment, (asked) => {
        const uri = new URL(nativePaymentUri(asked));
        expect(uri.protocol).toBe("ethereum:");
        expect(uri.pathname).toBe(`${toChecksumAddress(asked.address)}@${asked.chainId}`);
        expect([...uri.searchParams]).toEqual([["value", String(asked.amountUnits)]]);
      }),
    );
  });

  it("reads back as the token payment that it was made from", () => {
    fc.assert(
      fc.property(anyPayment, (asked) => {
        const uri = new URL(tokenPaymentUri({ ...asked, tokenAddress }));
        expect(uri.protocol).toBe("ethereum:");
        expect(uri.pathname).toBe(`${tokenAddress}@${asked.chainId}/transfer`);
        expect([...uri.searchParams]).toEqual([
          ["address", toChecksumAddress(asked.address)],
          ["uint256", String(asked.amountUnits)],
        ]);
      }),
    );
  });

  it.each([
    ["address", "alice.eth", "invalid_address"],
    ["address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", "invalid_address"],
    ["address", `${address}@1?value=1`, "invalid_address"],
    ["address", zero, "invalid_address"],
    ["address", sentinel, "invalid_address"],
    ["address", undefined, "invalid_address"],
    ["chainId", 0, "invalid_chain_id"],
    ["chainId", 1.5, "invalid_chain_id"],
    ["chainId", "8453", "invalid_chain_id"],
    ["chainId", undefined, "invalid_chain_id"],
    ["amountUnits", "0", "invalid_amount"],
    ["amountUnits", 0n, "invalid_amount"],
    ["amountUnits", -1n, "invalid_amount"],
    ["amountUnits", "1.5", "invalid_amount"],
    ["amountUnits", "2e18", "invalid_amount"],
    ["amountUnits", "1&address=0x0", "invalid_amount"],
    ["amountUnits", 25_000_000, "invalid_amount"],
    ["amountUnits", 2n ** 256n, "invalid_amount"],
    ["amountUnits", undefined, "invalid_amount"],
  ])("is not made for the %s %s", (param, value, code) => {
    const wrong = { ...payment, [param]: value };
    expect(thrownBy(() => nativePaymentUri(wrong))).toMatchObject({ code, param });
    expect(thrownBy(() => tokenPaymentUri(wrong))).toMatchObject({ code, param });
  });

  it.each([zero, sentinel, "USDC", undefined, tokenAddress.replace("f", "F")])(
    "is not made for the token %s",
    (wrong) => {
      const asked = { ...payment, tokenAddress: wrong as string };
      expect(thrownBy(() => tokenPaymentUri(asked))).toMatchObject({
        code: "invalid_address",
        param: "tokenAddress",
      });
    },
  );

  it("never sends a token to its own contract", () => {
    const asked = { ...payment, address: tokenAddress.toLowerCase() };
    expect(thrownBy(() => tokenPaymentUri(asked))).toMatchObject({
      code: "invalid_address",
      param: "address",
      message: expect.stringContaining("own contract"),
    });
  });
});
