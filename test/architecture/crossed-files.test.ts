import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
let crossed: Readonly<Record<"clientCall" | "servicePost", readonly string[]>>;

beforeAll(async () => {
  const script = `${import.meta.dirname}/crossed-files.ts`;
  const { stdout } = await run(process.execPath, [script]);
  crossed = JSON.parse(stdout);
});

// A failure lists the files.
test.each([
  ["payments.create, to the network and back", "clientCall", 13],
  ["a POST to the sandbox, from the socket to the webhook", "servicePost", 25],
] as const)("%s, crosses a limited number of files", (_, name, limit) => {
  expect(crossed[name].length, crossed[name].join("\n")).toBeLessThanOrEqual(limit);
  expect(crossed[name].length).toBeGreaterThan(5);
});
