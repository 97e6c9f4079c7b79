import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usdToCents } from "../../src/evm/units.ts";
import { thrownBy } from "./thrown-by.ts";

describe("usdToCents", () => {
  it.each([
    ["25.00", 2_500],
    ["25.5", 2_550],
    ["25", 2_500],
    ["0", 0],
    ["0.01", 1],
    ["0.29", 29],
    ["1.15", 115],
    ["4.35", 435],
    ["1000000.00", 100_000_000],
    ["90071992547409.91", Number.MAX_SAFE_INTEGER],
  ])("reads %s as %i", (usd, cents) => {
    expect(usdToCents(usd)).toBe(cents);
  });

  it("reads back every amount that is a safe integer of cents", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (cents) => {
        const digits = String(cents).padStart(3, "0");
        expect(usdToCents(`${digits.slice(0, -2)}.${digits.slice(-2)}`)).toBe(cents);
      }),
    );
  });

  it.each(["0.001", "0.005", "25.999", "25.000", "1.000"])(
    "refuses %s, with a fraction of a cent or a thousands separator in it",
    (usd) => {
      expect(thrownBy(() => usdToCents(usd))).toMatchObject({
        code: "invalid_amount",
        param: "amount",
        message: expect.stringContaining("3 decimal places"),
      });
    },
  );

  it.each([
    ...["", "-1", "+1", "1e2", "1,000.00", "1,5", "1 000", "1_000", "$25", "25 USD", "25.", ".5"],
    ...["025", " 25", "25\n", "0x19", "Infinity", "NaN", "２５"],
  ])("refuses %j, which is not in its grammar", (usd) => {
    expect(thrownBy(() => usdToCents(usd))).toMatchObject({
      code: "invalid_amount",
      param: "amount",
      message: expect.stringMatching(/leading zeros.*thousands separators/),
    });
  });

  it.each([25, 25n, null, undefined, {}])("refuses %s, which is not text", (usd) => {
    expect(thrownBy(() => usdToCents(usd as string)).code).toBe("invalid_amount");
  });

  it.each(["90071992547409.92", "90071992547410", "9".repeat(400)])(
    "refuses %s, which no number of cents holds exactly",
    (usd) => {
      expect(thrownBy(() => usdToCents(usd)).message).toContain("over 9007199254740991 cents");
    },
  );
});
