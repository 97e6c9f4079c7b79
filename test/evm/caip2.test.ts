import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromCaip2, toCaip2 } from "../../src/evm/chains.ts";
import { thrownBy } from "./thrown-by.ts";

describe("CAIP-2", () => {
  it("writes and reads a chain id", () => {
    expect(toCaip2(8453)).toBe("eip155:8453");
    expect(fromCaip2("eip155:8453")).toBe(8453);
  });

  it("reads back every chain id that it writes", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (number) => {
        const chainId = Math.max(number, 1);
        expect(fromCaip2(toCaip2(chainId))).toBe(chainId);
      }),
    );
  });

  it.each([
    ...["", "8453", "eip155", "eip155:", "eip155:0", "eip155:01", "eip155:-1", "eip155:1.5"],
    ...["eip155:1e3", "eip155:0x1", "eip155: 1", " eip155:1", "eip155:1\n", "EIP155:1"],
    ...["eip155:9007199254740992", "eip155:1:2", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"],
    ...[8453, null, undefined, ["eip155:1"]],
  ])("refuses to read %j", (identifier) => {
    expect(thrownBy(() => fromCaip2(identifier as string))).toMatchObject({
      code: "invalid_chain_id",
      param: "chainId",
    });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "8453", null, undefined, 1n])(
    "refuses to write %s",
    (chainId) => {
      expect(thrownBy(() => toCaip2(chainId as number))).toMatchObject({
        code: "invalid_chain_id",
        param: "chainId",
      });
    },
  );
});
