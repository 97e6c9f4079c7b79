import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const depcruise = join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");

const forbidden = [
  ["src/errors.ts", "src/wire/target.ts", "errors-imports"],
  ["src/wire/planted.ts", "src/http/target.ts", "wire-imports"],
  ["src/http/planted.ts", "src/resources/target.ts", "http-imports"],
  ["src/http/planted.ts", "src/sandbox/target.ts", "http-imports"],
  ["src/resources/planted.ts", "src/client.ts", "resources-imports"],
  ["src/evm/planted.ts", "src/wire/target.ts", "evm-imports"],
  ["src/webhooks/planted.ts", "src/wire/target.ts", "webhooks-imports"],
  ["src/client.ts", "src/sandbox/target.ts", "client-imports"],
  ["src/options.ts", "src/resources/target.ts", "options-imports"],
  ["src/http/planted.ts", "node:fs", "http-imports"],
  ["src/client.ts", "src/checkout/checkout-client.ts", "qr-in-one-entry"],
  ["src/checkout/checkout.ts", "uqr", "uqr-in-one-place"],
  ["src/checkout/planted.ts", "react", "react-in-one-place"],
  ["src/checkout/planted.ts", "src/sandbox/target.ts", "checkout-imports"],
  ["src/index.ts", "src/cli/target.ts", "cli-on-top"],
  ["src/evm/planted.ts", "zod", "evm-imports"],
  ["src/webhooks/planted.ts", "zod", "webhooks-imports"],
  ["src/testing/planted.ts", "msw", "msw-in-one-place"],
  ["src/http/planted.ts", "@opentelemetry/api", "opentelemetry-in-one-place"],
  ["src/http/planted.ts", "ky", "ky-in-one-place"],
  ["src/wire/planted.ts", "zod", "zod-in-one-place"],
  ["src/testing/planted.ts", "src/http/target.ts", "testing-imports"],
  ["src/sandbox/planted.ts", "src/checkout/target.ts", "sandbox-imports"],
  ["src/sandbox/planted.ts", "src/sandbox/pages/browser/target.ts", "sandbox-imports"],
  [
    "src/sandbox/pages/browser/planted.ts",
    "src/sandbox/target.ts",
    "sandbox-pages-browser-imports",
  ],
  ["src/sandbox/planted.ts", "esbuild", "esbuild-in-one-place"],
  ["src/sandbox/service/planted.ts", "src/sandbox/control/target.ts", "sandbox-service-runs"],
  ["src/sandbox/pages/planted.ts", "src/sandbox/control/target.ts", "sandbox-pages-runs"],
  ["src/sandbox/time/planted.ts", "src/sandbox/service/target.ts", "sandbox-time-runs"],
  ["src/evm/one.ts", "src/evm/other.ts", "no-cycles"],
] as const;

const allowed = [
  ["src/http/send.ts", "ky"],
  ["src/checkout/element/qr.ts", "uqr"],
  ["src/checkout/react.ts", "react"],
  ["src/wire/planted.ts", "zod/mini"],
  ["src/schemas.ts", "zod"],
  ["src/http/planted.ts", "src/wire/target.ts"],
  ["src/resources/planted.ts", "src/errors.ts"],
  ["src/sandbox/planted.ts", "node:fs"],
  ["src/sandbox/pages/browser/planted.ts", "src/checkout/target.ts"],
  ["src/sandbox/control/planted.ts", "src/sandbox/pages/target.ts"],
  ["src/sandbox/planted.ts", "src/sandbox/service/target.ts"],
  ["src/client.ts", "src/http/target.ts"],
  ["src/opentelemetry/planted.ts", "@opentelemetry/api"],
  ["src/testing/msw/planted.ts", "msw"],
  ["src/testing/msw/planted.ts", "src/sandbox/target.ts"],
] as const;

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

let project: string;
let violations: readonly Violation[];

/** Plants all imports in one project, so that the tool runs only once. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "import-rules-"));
  const importsOf = new Map<string, string[]>([["src/evm/other.ts", ["src/evm/one.ts"]]]);
  for (const [from, imported] of [...forbidden, ...allowed]) {
    importsOf.set(from, [...(importsOf.get(from) ?? []), imported]);
    if (imported.startsWith("src/")) importsOf.set(imported, importsOf.get(imported) ?? []);
  }
  for (const [file, imports] of importsOf) {
    const lines = imports.map((imported) => {
      return `import "${imported.startsWith("src/") ? join(project, imported) : imported}";`;
    });
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), [...lines, "export {};\n"].join("\n"));
  }
  const config = join(root, ".dependency-cruiser.mjs");
  const parameters = [depcruise, "src", "--config", config, "--output-type", "json"];
  const { stdout } = await run(process.execPath, parameters, { cwd: project }).catch(
    (error) => error,
  );
  ({ violations } = JSON.parse(stdout).summary);
});
afterAll(() => rm(project, { recursive: true }));

/** The rules that an import breaks. */
function broken(from: string, imported: string): string[] {
  const to = imported.replace(/^node:/, "");
  return violations.filter((it) => it.from === from && it.to === to).map(({ rule }) => rule.name);
}

test.each(forbidden)("%s may not import %s", (from, imported, rule) => {
  expect(broken(from, imported)).toContain(rule);
});

test.each(allowed)("%s may import %s", (from, imported) => {
  expect(broken(from, imported)).toEqual([]);
});
