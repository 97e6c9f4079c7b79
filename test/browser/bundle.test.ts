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
