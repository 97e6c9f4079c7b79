import fc from "fast-check";
import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { expectedUnits, worthInCents } from "../../../src/sandbox/service/quotes.ts";
import { create } from "../merchant.ts";

/** A decimal string as a fraction of integers. */
function fraction(text: string): { numerator: bigint; denominator: bigint } {
  const [whole = "", decimals = ""] = text.split(".");
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) };
}

const cents = fc.integer({ min: 1, max: 100_000_000 });
const price = fc.record({
  decimals: fc.integer({ min: 0, max: 24 }),
  rateUsd: fc
    .tuple(fc.nat(1_000_000), fc.integer({ min: 0, max: 8 }), fc.nat(99_999_999))
    .map(([whole, places, digits]) => {
      const decimals = String(digits).padStart(8, "0").slice(0, places);
      return places === 0 ? String(whole) : `${whole}.${decimals}`;
    })
    .filter((text) => fraction(text).numerator > 0n),
});

describe("an expected amount", () => {
  it("is worth at least the cents due, and one unit less is worth too little", () => {
    fc.assert(
      fc.property(cents, price, (amountInCents, { decimals, rateUsd }) => {
        const units = expectedUnits(amountInCents, { decimals, rateUsd });
        const { numerator, denominator } = fraction(rateUsd);
        // units / 10^decimals * rate >= cents / 100, without any division.
        const worth = (count: bigint) => count * numerator * 100n;
        const due = BigInt(amountInCents) * 10n ** BigInt(decimals) * denominator;
        expect(worth(units) >= due).toBe(true);
        expect(worth(units - 1n) < due).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("converts back to the cents due", () => {
    fc.assert(
      fc.property(cents, price, (amountInCents, at) => {
        const { numerator, denominator } = fraction(at.rateUsd);
        // The conversion is exact only if one unit is worth less than a cent.
        fc.pre(numerator * 100n < 10n ** BigInt(at.decimals) * denominator);
        expect(worthInCents(expectedUnits(amountInCents, at), at)).toBe(BigInt(amountInCents));
      }),
    );
  });

  it.each([
    [2500, { decimals: 6, rateUsd: "1.00" }, 25_000_000n],
    [2500, { decimals: 6, rateUsd: "0.9994" }, 25_015_010n],
    [100, { decimals: 18, rateUsd: "3" }, 333_333_333_333_333_334n],
    [1, { decimals: 0, rateUsd: "1000000" }, 1n],
  ])("of %d cents at %o is %d units", (amountInCents, at, units) => {
    expect(expectedUnits(amountInCents, at)).toBe(units);
  });

  it("of every quote follows from that quote's own rate and decimals", async () => {
    const sandbox = createSandbox();
    for (const amount of [250, 2501, 99_999_999]) {
      const { payment } = await create(sandbox, { amount });
      for (const { expectedAmountAsset, rateUsdAsset, token } of payment.quotes) {
        const { numerator, denominator } = fraction(rateUsdAsset);
        const dividend = BigInt(amount) * 10n ** BigInt(token.decimals) * denominator;
        const divisor = numerator * 100n;
        const roundedUp = dividend / divisor + (dividend % divisor === 0n ? 0n : 1n);
        expect(expectedAmountAsset).toBe(String(roundedUp));
      }
    }
  });
});
