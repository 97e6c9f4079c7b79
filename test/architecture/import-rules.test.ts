import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const depcruise = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "import-rules-"));
});
afterAll(() => rm(project, { recursive: true }));

/** The rules that an import between two files of src breaks. */
async function broken(from: string, imported: string): Promise<string[]> {
  const source = join(project, "src");
  await rm(source, { recursive: true, force: true });
  const target = imported.startsWith("src/") ? imported : undefined;
  for (const file of [from, ...(target ? [target] : [])]) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), "export const value = 1;\n");
  }
  const specifier = target ? join(project, target) : imported;
  await writeFile(join(project, from), `import { value } from "${specifier}";\nvalue;\n`);
  const config = join(root, ".dependency-cruiser.mjs");
  const parameters = [depcruise, "src", "--config", config, "--output-type", "json"];
  const { stdout } = await run(process.execPath, parameters, { cwd: project }).catch(
    (error) => error,
  );
  const { summary } = JSON.parse(stdout);
  return summary.violations.map((violation: { rule: { name: string } }) => violation.rule.name);
}

test.each([
  ["src/errors/planted.ts", "src/wire/target.ts", "errors-imports"],
  ["src/wire/planted.ts", "src/http/target.ts", "wire-imports"],
  ["src/http/planted.ts", "src/resources/target.ts", "http-imports"],
  ["src/http/planted.ts", "src/sandbox/target.ts", "http-imports"],
  ["src/resources/planted.ts", "src/client.ts", "resources-imports"],
  ["src/evm/planted.ts", "src/wire/target.ts", "evm-imports"],
  ["src/webhooks/planted.ts", "src/wire/target.ts", "webhooks-imports"],
  ["src/client.ts", "src/sandbox/target.ts", "client-imports"],
  ["src/configuration.ts", "src/resources/target.ts", "configuration-imports"],
  ["src/http/planted.ts", "node:fs", "http-imports"],
  ["src/client.ts", "src/checkout/checkout-client.ts", "qr-in-one-entry"],
  ["src/checkout/checkout.ts", "uqr", "qr-in-one-entry"],
  ["src/checkout/planted.ts", "src/sandbox/target.ts", "checkout-imports"],
  ["src/index.ts", "src/cli/target.ts", "cli-on-top"],
  ["src/wire/planted.ts", "zod", "wire-imports"],
  ["src/testing/planted.ts", "msw", "msw-in-one-entry"],
  ["src/testing/planted.ts", "src/http/target.ts", "testing-imports"],
  ["src/sandbox/planted.ts", "src/checkout/target.ts", "sandbox-imports"],
  ["src/sandbox/planted.ts", "src/sandbox/browser/target.ts", "sandbox-imports"],
  ["src/sandbox/browser/planted.ts", "src/sandbox/target.ts", "sandbox-browser-imports"],
  ["src/sandbox/planted.ts", "esbuild", "bundler-in-one-file"],
])("%s may not import %s", async (from, imported, rule) => {
  expect(await broken(from, imported)).toContain(rule);
});

test.each([
  ["src/http/planted.ts", "src/wire/target.ts"],
  ["src/resources/planted.ts", "src/errors/target.ts"],
  ["src/sandbox/planted.ts", "node:fs"],
  ["src/sandbox/browser/planted.ts", "src/checkout/target.ts"],
  ["src/client.ts", "src/http/target.ts"],
  ["src/testing/msw/planted.ts", "msw"],
  ["src/testing/msw/planted.ts", "src/sandbox/target.ts"],
])("%s may import %s", async (from, imported) => {
  expect(await broken(from, imported)).toEqual([]);
});
