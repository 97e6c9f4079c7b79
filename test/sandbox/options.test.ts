import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";

describe("an option that cannot work", () => {
  it.each([
    ["webhookUrl", { webhookUrl: "localhost:3000" }],
    ["webhookUrl", { webhookUrl: "ftp://127.0.0.1/" }],
    ["now", { now: new Date("yesterday") }],
    ["now", { now: new Date(-1) }],
    ["limits.minPaymentInCents", { limits: { minPaymentInCents: 0 } }],
    ["limits.minPaymentInCents", { limits: { minPaymentInCents: 2.5 } }],
  ] as const)("is refused with %s as the param", (param, options) => {
    expect(() => createSandbox(options)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", param }),
    );
  });
});
