import { describe, expect, test } from "vitest";
import { isFinal, isPaid } from "../../src/wire/payment.ts";

describe("a status", () => {
  test.each([
    ["pending", false, false],
    ["processing", false, false],
    ["completed", true, true],
    ["confirmed", true, true],
    ["failed", false, true],
    ["expired", false, true],
    ["cancelled", false, true],
    ["on_hold", false, false],
    ["COMPLETED", false, false],
    ["__proto__", false, false],
    ["", false, false],
  ])("%j is paid: %s, final: %s", (status, paid, final) => {
    expect([isPaid(status), isFinal(status)]).toEqual([paid, final]);
  });
});
