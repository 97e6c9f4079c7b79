import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { fromSource } from "./example.ts";

const root = resolve(import.meta.dirname, "../..");

test("the traced order prints the spans that the guide shows", async () => {
  const args = ["--import", fromSource, "examples/traced-order.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  const guide = await readFile(resolve(root, "docs/production.md"), "utf8");
  const [, shown] = /^```text\n(.*?)^```$/ms.exec(guide) ?? [];
  expect(stdout).toBe(shown);
});
