import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idempotencyKeyFrom } from "../../src/http/idempotency.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("idempotencyKeyFrom", () => {
  test("returns the same UUID for the same parts in every version of settlekit", () => {
    expect(idempotencyKeyFrom("checkout", "order_1")).toBe("90b401a5-d01a-8f3c-87fc-6eb7173778aa");
  });

  test("distinguishes parts that are equal when joined", () => {
    const joined = [["a", "bc"], ["ab", "c"], ["abc"], ["a", "b", "c"], ['a","bc']];
    expect(new Set(joined.map((parts) => idempotencyKeyFrom(...parts))).size).toBe(joined.length);
  });

  test("returns UUIDs that differ if the parts differ", () => {
    const parts = fc.array(fc.string({ minLength: 1 }), { minLength: 1 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(idempotencyKeyFrom(...a)).toMatch(uuid);
        const equal = idempotencyKeyFrom(...a) === idempotencyKeyFrom(...b);
        expect(equal).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  test("refuses parts that would make every order share a key", () => {
    expect(() => idempotencyKeyFrom()).toThrow(/at least one part/);
    for (const part of ["", undefined, null, {}, Number.NaN, Number.POSITIVE_INFINITY, true]) {
      expect(() => idempotencyKeyFrom("checkout", part as string)).toThrow(/share one key/);
    }
  });
});
