import { describe, expect, test } from "vitest";
import { isFinal, isPaid } from "../../src/wire/payment-status.ts";

describe("a status", () => {
  test.each([
    ["pending", false, false],
    ["processing", false, false],
    ["completed", true, true],
    ["confirmed", true, true],
    ["failed", false, true],
    ["expired", false, true],
    ["cancelled", false, true],
    ["refunded", false, true],
    ["partially_refunded", false, true],
    ["on_hold", false, false],
    ["COMPLETED", false, false],
    ["__proto__", false, false],
    ["", false, false],
  ])("%j is paid: %s, final: %s", (status, paid, final) => {
    expect([isPaid(status), isFinal(status)]).toEqual([paid, final]);
  });
});

test.each([undefined, null, 7, { status: "completed" }])(
  "%j is refused because a status must be a string",
  (status) => {
    const message = "status must be the status as a string, such as payment.status, got";
    expect(() => isPaid(status as never)).toThrow(message);
    expect(() => isFinal(status as never)).toThrow(message);
  },
);
