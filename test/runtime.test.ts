import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { version } from "../src/runtime.ts";

test("the version that requests name is the package's", async () => {
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  expect(version).toBe(JSON.parse(manifest).version);
});
