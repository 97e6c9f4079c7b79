import { createSandbox, type SandboxOptions } from "settlekit/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

describe("an option with an invalid value", () => {
  it.each([
    ["webhookUrl", { webhookUrl: "localhost:3000" }],
    ["webhookUrl", { webhookUrl: "ftp://127.0.0.1/" }],
    ["webhookUrl", { webhookUrl: "http://ann:secret@127.0.0.1/" }],
    ["webhookUrl", { webhookUrl: new URL("http://ann@127.0.0.1/") }],
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

describe("an option with the wrong name or type", () => {
  it.each([
    ["webhookURL", { webhookURL: "http://127.0.0.1/" }, "Did you mean webhookUrl?"],
    ["limits.minPayment", { limits: { minPayment: 100 } }, "Did you mean minPaymentInCents?"],
    ["merchants.0.nam", { merchants: [{ nam: "Shop" }] }, "Did you mean name?"],
  ])("is refused with the nearest name: %s", (param, options, cure) => {
    expect(() => createSandbox(options as SandboxOptions)).toThrow(
      expect.objectContaining({
        name: "ConfigurationError",
        code: "unknown_option",
        param,
        message: expect.stringContaining(cure),
      }),
    );
  });

  it.each([
    ["seed", { seed: {} }],
    ["deliver", { deliver: "http://127.0.0.1/" }],
    ["depositsEnabled", { depositsEnabled: "yes" }],
    ["merchants", { merchants: {} }],
    ["data", { data: 7 }],
    ["data", { data: "" }],
  ])("is refused with its path as the param: %s", (param, options) => {
    expect(() => createSandbox(options as unknown as SandboxOptions)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", param }),
    );
  });

  it.each([
    [{ merchants: [{}, { depositsEnabled: "yes" }] }, 'must be true or false, got "yes".'],
    [{ dialect: "publishd" }, 'must be "documented" or "published", got "publishd".'],
    [{ limits: { minPaymentInCents: 0 } }, "must be a whole number from 1 to 100000000, got 0."],
    [{ data: "" }, "must be the name of a file, got an empty string."],
  ])("is shown in the message, after its path: %j", (options, problem) => {
    const message = expect.stringContaining(problem);
    const path = /^(merchants\.1\.depositsEnabled|dialect|limits\.minPaymentInCents|data) /;
    const create = () => createSandbox(options as unknown as SandboxOptions);
    expect(create).toThrow(expect.objectContaining({ message }));
    expect(create).toThrow(path);
  });

  it("is described if its type is right: an invalid date, or no merchant", () => {
    expect(() => createSandbox({ now: new Date("yesterday") })).toThrow("must be a valid Date");
    expect(() => createSandbox({ merchants: [] })).toThrow("merchants is empty. Pass at least one");
  });

  it("is not shown if it is a URL, which may contain a password", () => {
    const create = () => createSandbox({ webhookUrl: "http://ann:hunter2@127.0.0.1/" });
    expect(create).toThrow(/^webhookUrl must be an absolute http or https URL(?!.*hunter2)/);
  });
});

it("createSandbox requires Node 22.12", () => {
  const { node } = process.versions;
  Object.defineProperty(process.versions, "node", { value: "20.18.0", configurable: true });
  try {
    expect(() => createSandbox()).toThrow(/^settlekit needs Node 22\.12 or later/);
  } finally {
    Object.defineProperty(process.versions, "node", { value: node, configurable: true });
  }
});

describe("a sandbox on another runtime", () => {
  it("ignores the Node version that the runtime claims", () => {
    const versions = { ...process.versions, node: "20.11.0" };
    vi.stubGlobal("process", { ...process, env: process.env, versions });
    expect(() => createSandbox()).toThrow(
      expect.objectContaining({ code: "unsupported_platform" }),
    );
    vi.stubGlobal("Bun", { version: "1.3.0" });
    expect(() => createSandbox()).not.toThrow();
  });
});
