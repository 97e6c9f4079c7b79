import { describe, expect, it } from "vitest";
import { ConfigurationError, type WebhooksOptions } from "../../src/webhooks/index.ts";
import { delivery, receiver, refusal } from "./deliveries.ts";

describe("an option that cannot be right is refused at construction", () => {
  it.each([
    ["toleranceSeconds", -1, "0 or more"],
    ["toleranceSeconds", Number.NaN, "0 or more"],
    ["toleranceSeconds", "300", "0 or more"],
    ["toleranceSeconds", null, "0 or more"],
    ["maxBodyBytes", 0, "a whole number above 0"],
    ["maxBodyBytes", -1, "a whole number above 0"],
    ["maxBodyBytes", 1.5, "a whole number above 0"],
    ["maxBodyBytes", Number.POSITIVE_INFINITY, "a whole number above 0"],
    ["maxBodyBytes", "1mb", "a whole number above 0"],
    ["headerPrefix", "", "the beginning of header names, such as X-Service"],
    ["headerPrefix", "X Service", "the beginning of header names, such as X-Service"],
    ["headerPrefix", "X-Sérvice", "the beginning of header names, such as X-Service"],
    ["headerPrefix", "X-Service\n", "the beginning of header names, such as X-Service"],
    ["headerPrefix", 1, "the beginning of header names, such as X-Service"],
    ["now", new Date(), "a function that returns a valid Date"],
    ["logger", {}, "an object with warn and error"],
    ["logger", null, "an object with warn and error"],
    ["logger", () => undefined, "an object with warn and error"],
    ["onError", "log", "a function"],
  ])("%s: %j", (param, value, expected) => {
    const construct = () => receiver({ [param]: value } as WebhooksOptions);
    expect(construct).toThrow(ConfigurationError);
    const message = `The option ${param} must be ${expected}.`;
    expect(construct).toThrow(expect.objectContaining({ message, param, code: "invalid_option" }));
  });

  it("and one given as undefined counts as left out", () => {
    const webhooks = receiver({
      toleranceSeconds: undefined,
      headerPrefix: undefined,
      maxBodyBytes: undefined,
      logger: undefined,
      onError: undefined,
    });
    expect(refusal(webhooks, delivery())).toBeUndefined();
  });
});

describe("a handler that is no function", () => {
  it("is refused when it is registered", () => {
    expect(() => receiver().on("payment.updated", undefined as never)).toThrow(ConfigurationError);
  });
});
