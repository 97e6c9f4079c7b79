// Tests every example as users get it: copied elsewhere, with the packed package and its own dependencies installed,
// type-checked with its own configuration, and run by the tests in test/examples.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, glob, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { packInto } from "./pack.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "..");

const env = {
  ...process.env,
  // npm chooses package versions by the Node version that runs it.
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  NEXT_TELEMETRY_DISABLED: "1",
  WRANGLER_SEND_METRICS: "false",
};

const scratch = await mkdtemp(join(tmpdir(), "settlekit-examples-"));
try {
  await copyExamples();
  const { path: tarball } = await packInto(scratch);
  for await (const manifest of glob("*/package.json", { cwd: scratch })) {
    await install(dirname(manifest), tarball);
  }
  process.exitCode = await runTests();
} finally {
  await rm(scratch, { recursive: true });
}

/** Copies the sources only, without anything installed, built or stored. */
async function copyExamples(): Promise<void> {
  const own = /\/(node_modules|\.next|\.wrangler|package-lock\.json|\.env|[^/]*\.sqlite[^/]*)$/;
  for await (const manifest of glob("*/package.json", { cwd: join(root, "examples") })) {
    const name = dirname(manifest);
    const filter = (source: string) => !own.test(source);
    await cp(join(root, "examples", name), join(scratch, name), { recursive: true, filter });
  }
  // This example has nothing to install.
  const container = "sandbox-container";
  await cp(join(root, "examples", container), join(scratch, container), { recursive: true });
}

async function install(name: string, tarball: string): Promise<void> {
  const startedAt = performance.now();
  await npm(name, "install", "--no-audit", "--no-fund", tarball);
  await npm(name, "run", "check");
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`installed and type-checked ${name} in ${seconds} s`);
}

async function npm(name: string, ...parameters: readonly string[]): Promise<void> {
  try {
    await execute("npm", parameters, { cwd: join(scratch, name), env });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`npm ${parameters.join(" ")} in ${name} failed:\n${stdout}\n${stderr}`);
  }
}

async function runTests(): Promise<number> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const tests = spawn(process.execPath, [vitest, "run", "test/examples"], {
    cwd: root,
    env: { ...env, EXAMPLES_FOLDER: scratch },
    stdio: "inherit",
  });
  const [code] = (await once(tests, "exit")) as [number | null];
  return code ?? 1;
}
