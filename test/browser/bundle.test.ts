import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { bundleForBrowser } from "./bundle.ts";

describe("the bundled checkout entry", () => {
  test("contains no Node import, and none of the secret key's routes and variables", async () => {
    const files = await bundleForBrowser("src/checkout/index.ts");
    const code = [...files.values()].join("\n");
    expect(code).toContain("payment-secret-auth");
    for (const foreign of [
      "node:",
      "secretkey-auth",
      "SETTLEKIT_SECRET_KEY",
      "SETTLEKIT_BASE_URL",
      "process.env",
      "getBuiltinModule",
    ]) {
      expect(code).not.toContain(foreign);
    }
  });
});

test("the bundled client contains nothing that only other exports need", async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { MerchantClient } from "../../src/index.ts"',
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const code = outputFiles[0]?.text ?? "";
  expect(code.includes("secretkey-auth")).toBe(true);
  // The table of chains, and the errors of webhooks and stores.
  const foreign = ["Avalanche", "WebhookVerificationError", "StoreError"];
  expect(foreign.filter((text) => code.includes(text))).toEqual([]);
});
