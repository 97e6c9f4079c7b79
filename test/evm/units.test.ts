import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { formatUnits, parseUnits, toUnits } from "../../src/evm/units.ts";
import { growth } from "../growth.ts";
import { thrownBy } from "./thrown-by.ts";

const most = 2n ** 256n - 1n;
const anyUnits = fc.bigInt({ min: 0n, max: most });
const anyDecimals = fc.integer({ min: 0, max: 255 });

/** Amounts that look like numbers to people or to `Number()`, but are not in the grammar. */
const malformed = [
  ...["", " ", ".", "1.", ".5", "-1", "+1", "-0", "1e3", "1E3", "0x10", "0b1", "1_000", "1n"],
  ...[
    "1,5",
    "1,000.00",
    "1.000.00",
    "1 000",
    " 1",
    "1 ",
    "1\n",
    "\t1",
    "$1",
    "1 USDC",
    "01",
    "00.5",
  ],
  ...[
    "Infinity",
    "NaN",
    "null",
    "１",
    "٣",
    "1\u00a0000",
    "1'000",
    "--1",
    "1.5.5",
    "1/2",
    "1\u0000",
  ],
];

/** Values that only JavaScript callers can pass. */
const noText = [1.5, 1, Number.NaN, null, undefined, true, {}, [], ["1"], { toString: () => "1" }];

describe("parseUnits", () => {
  it.each([
    ["0", 6, 0n],
    ["0.0", 6, 0n],
    ["1.5", 6, 1_500_000n],
    ["1", 0, 1n],
    ["25.00", 2, 2_500n],
    ["0.000001", 6, 1n],
    ["0.000000000000000001", 18, 1n],
    ["123456789.123456789123456789", 18, 123_456_789_123_456_789_123_456_789n],
    ["9007199254740993", 0, 9_007_199_254_740_993n],
    [most.toString(), 0, most],
  ])("reads %s at %i decimals exactly", (amount, decimals, units) => {
    expect(parseUnits(amount, decimals)).toBe(units);
  });

  it("accepts zeros beyond the smallest unit, which change nothing", () => {
    expect(parseUnits("1.5000000000", 6)).toBe(1_500_000n);
    expect(parseUnits("1.000", 0)).toBe(1n);
  });

  it.each([
    ["1.0000001", 6, 7],
    ["0.0000000000000000001", 18, 19],
    ["1.5", 0, 1],
    [String(0.1 + 0.2), 6, 17],
  ])("refuses %s at %i decimals instead of rounding it", (amount, decimals, places) => {
    expect(thrownBy(() => parseUnits(amount, decimals))).toMatchObject({
      code: "invalid_amount",
      param: "amount",
      message: expect.stringContaining(`${places} decimal places`),
    });
  });

  it.each(malformed)("refuses %j, which is not in its grammar", (amount) => {
    const error = thrownBy(() => parseUnits(amount, 18));
    expect(error).toMatchObject({ code: "invalid_amount", param: "amount", outcome: "not_sent" });
    expect(error.message).toContain(amount === "" ? "an empty string" : JSON.stringify(amount));
  });

  it.each(noText)("refuses %s, which is not text and may already be rounded", (amount) => {
    expect(thrownBy(() => parseUnits(amount as string, 6)).code).toBe("invalid_amount");
  });

  it("refuses an amount that no token contract can hold", () => {
    const refused: [string, number][] = [
      [(most + 1n).toString(), 0],
      [(most + 1n).toString(), 255],
      ["1", 78],
      ["9".repeat(78), 0],
      ["9".repeat(500), 255],
    ];
    for (const [amount, decimals] of refused) {
      const error = thrownBy(() => parseUnits(amount, decimals));
      expect(error.message).toContain("more than a token contract can hold");
    }
    expect(parseUnits("1", 77)).toBe(10n ** 77n);
  });

  it("refuses ten million digits without converting them to a bigint", () => {
    const toBigInt = vi.spyOn(globalThis, "BigInt");
    const error = thrownBy(() => parseUnits("9".repeat(10_000_000), 18));
    expect(error.message).toContain("more than a token contract can hold");
    expect(toBigInt).not.toHaveBeenCalled();
    toBigInt.mockRestore();
  });

  it("reads a million zeros without quadratic work", () => {
    const zeros = "0".repeat(1_000_000);
    expect(parseUnits(`1.${zeros}`, 0)).toBe(1n);
    expect(thrownBy(() => parseUnits(`1.${zeros}1`, 18)).message).toContain("1000001 decimal");
    const parse = (length: number) => parseUnits(`1.${"0".repeat(length)}`, 0);
    // V8 allocates longer texts than 128 kB elsewhere, at another cost.
    expect(growth(parse, 500_000)).toBeLessThan(24);
  });

  it("quotes only the beginning of a long text", () => {
    const error = thrownBy(() => parseUnits("x".repeat(1_000_000), 18));
    expect(error.message).toContain(`"${"x".repeat(60)}"... (1000000 characters)`);
    expect(error.message.length).toBeLessThan(300);
  });

  it("either returns the exact value or refuses, whatever the text", () => {
    const pieces = fc.constantFrom("0", "1", "9", ".", ",", "-", "+", "e", "x", " ", "00", "12");
    const text = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 8 }), (amount, decimals) => {
        const wellFormed = /^\d+(\.\d+)?$/.test(amount) && !/^0\d/.test(amount);
        const places = (amount.split(".")[1] ?? "").replace(/0+$/, "").length;
        if (!wellFormed || places > decimals) {
          expect(thrownBy(() => parseUnits(amount, decimals)).code).toBe("invalid_amount");
          return;
        }
        // The text without its point is the value times a power of ten: compare without dividing.
        const written = (amount.split(".")[1] ?? "").length;
        const scaled = BigInt(amount.replace(".", "")) * 10n ** BigInt(decimals);
        expect(parseUnits(amount, decimals) * 10n ** BigInt(written)).toBe(scaled);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("formatUnits", () => {
  it.each([
    [0n, 18, "0"],
    [1n, 18, "0.000000000000000001"],
    [10n ** 18n, 18, "1"],
    [1_500_000n, 6, "1.5"],
    [1_000_000n, 6, "1"],
    [100n, 0, "100"],
    [105n, 1, "10.5"],
    ["1500000", 6, "1.5"],
    ["123456789123456789123456789", 18, "123456789.123456789123456789"],
  ])("writes %s at %i decimals as %s", (units, decimals, amount) => {
    expect(formatUnits(units, decimals)).toBe(amount);
  });

  it.each([...malformed, "1.5", "1.0"])(
    "refuses %j, which is not a count of smallest units",
    (units) => {
      expect(thrownBy(() => formatUnits(units, 6))).toMatchObject({
        code: "invalid_amount",
        param: "units",
      });
    },
  );

  it.each(noText)("refuses %s, which is neither a bigint nor text", (units) => {
    expect(thrownBy(() => formatUnits(units as string, 6)).code).toBe("invalid_amount");
  });

  it("refuses negative counts, and counts that no token contract can hold", () => {
    expect(thrownBy(() => formatUnits(-1n, 6)).message).toContain("not negative, but is -1");
    expect(thrownBy(() => formatUnits(most + 1n, 6)).message).toContain("256 bits");
    expect(thrownBy(() => formatUnits(`${most + 1n}`, 6)).message).toContain("256 bits");
    expect(formatUnits(most, 0)).toBe(most.toString());
  });

  it("writes text that parseUnits reads back as the same units", () => {
    fc.assert(
      fc.property(anyUnits, anyDecimals, (units, decimals) => {
        const amount = formatUnits(units, decimals);
        expect(parseUnits(amount, decimals)).toBe(units);
        expect(formatUnits(units.toString(), decimals)).toBe(amount);
        expect(amount).not.toMatch(/\..*0$|\.$|^\.|^0\d/);
      }),
    );
  });

  it("writes the text that parseUnits read, without superfluous zeros", () => {
    const amounts = fc.tuple(
      fc.bigInt({ min: 0n, max: 10n ** 40n }),
      fc.stringMatching(/^[0-9]{1,17}[1-9]$/),
      fc.nat({ max: 20 }),
    );
    fc.assert(
      fc.property(amounts, ([whole, fraction, zeros]) => {
        const shortest = `${whole}.${fraction}`;
        expect(formatUnits(parseUnits(shortest + "0".repeat(zeros), 18), 18)).toBe(shortest);
      }),
    );
  });
});

describe("decimals", () => {
  it.each([-1, 256, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "6", null, undefined, 6n])(
    "of %s are refused",
    (decimals) => {
      const expected = { code: "invalid_decimals", param: "decimals" };
      expect(thrownBy(() => parseUnits("1", decimals as number))).toMatchObject(expected);
      expect(thrownBy(() => formatUnits(1n, decimals as number))).toMatchObject(expected);
    },
  );
});

describe("toUnits", () => {
  it("names the field that it was given for", () => {
    const error = thrownBy(() => toUnits("1.5", "amountUnits"));
    expect(error.param).toBe("amountUnits");
    expect(error.message).toMatch(/^amountUnits must be .* "1.5"\. .*parseUnits/);
  });
});
