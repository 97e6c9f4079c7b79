import { afterEach, describe, expect, test, vi } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { MerchantClient } from "../src/index.ts";
import { unsupportedNode, version } from "../src/runtime.ts";

afterEach(() => vi.unstubAllGlobals());

const options = { secretKey: "sk_test_4f9a7c1e", environment: "sandbox" } as const;

test("the version in requests is the package's", () => {
  expect(version).toBe(packageJson.version);
});

describe("a client for servers", () => {
  test("refuses to be created in a page, with an error that does not quote the key", () => {
    vi.stubGlobal("window", {});
    expect(() => new MerchantClient(options)).not.toThrow();
    vi.stubGlobal("document", {});
    expect(() => new MerchantClient(options)).toThrow(
      expect.objectContaining({
        name: "ConfigurationError",
        code: "secret_key_in_browser",
        message: expect.stringMatching(/^(?!.*sk_test_).*CheckoutClient/),
      }),
    );
  });

  test("names the Node version it needs when it is created on an older one", () => {
    const versions = { ...process.versions, node: "20.11.0" };
    vi.stubGlobal("process", { ...process, env: process.env, versions });
    expect(() => new MerchantClient(options)).toThrow(
      expect.objectContaining({
        code: "unsupported_platform",
        message: expect.stringMatching(/^settlekit needs Node 22\.12 or later, .* 20\.11\.0/),
      }),
    );
    // Bun reports the version of some Node, which may be an old one.
    vi.stubGlobal("Bun", { version: "1.3.0" });
    expect(() => new MerchantClient(options)).not.toThrow();
  });
});

test.each(["22.12.0", "22.13.1", "23.0.0", "24.21.0", "26.0.0-nightly"])(
  "Node %s is supported",
  (version) => {
    expect(unsupportedNode(version)).toBeUndefined();
  },
);

test.each(["18.20.4", "20.20.2", "22.0.0", "22.11.9"])(
  "Node %s is too old, and the error names the version needed",
  (version) => {
    const { node } = packageJson.engines;
    const [, needed] = /^>=(\d+\.\d+)\.0$/.exec(node) ?? [];
    expect(unsupportedNode(version)).toMatch(
      new RegExp(`^settlekit needs Node ${needed} or later, and this is Node ${version}\\.`),
    );
  },
);
