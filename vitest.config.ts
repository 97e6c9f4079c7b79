import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { entries } from "./scripts/entries.ts";

/**
 * The seed of all random inputs: fixed by default, so that every run tests the same ones. SETTLEKIT_TEST_SEED sets
 * another; "random" draws one and prints it.
 */
const { SETTLEKIT_TEST_SEED: chosenSeed = "20260101" } = process.env;
const seed = chosenSeed === "random" ? String(Date.now() % 2 ** 31) : chosenSeed;
if (chosenSeed === "random") process.stdout.write(`SETTLEKIT_TEST_SEED=${seed}\n`);

/** Starts with the slowest files, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /test\/(browser|docs|model|package|cli\/every-command)\b|\/processes\b/.test(moduleId);
    return [...usual.filter(isLong), ...usual.filter((file) => !isLong(file))];
  }
}

/** They change what a process has but once, such as its timers, or load a module as another platform would. */
const modulesOfTheirOwn = ["test/browser/**/*.test.ts", "test/opentelemetry/*.test.ts"]
  .concat("test/http/hooks.test.ts", "test/http/time-limits.test.ts", "test/runtime.test.ts")
  .concat("test/inbox/time-limits.test.ts", "test/schemas.test.ts", "test/testing/msw.test.ts")
  .concat("test/webhooks/body-limits.test.ts", "test/webhooks/crypto-backends.test.ts")
  .concat("test/webhooks/secrets.test.ts");

/** What `npm run check` runs beside: what users read and install, and what takes long. */
const checks = ["architecture", "package", "docs", "examples"]
  .map((folder) => `test/${folder}/**/*.test.ts`)
  .concat("test/cli/every-command.test.ts", "test/cli/init-code.test.ts", "test/cli/mcp*.test.ts")
  .concat("test/inbox/processes.test.ts", "test/payouts/processes.test.ts");
const globalSetup = ["test/postgres-server.ts", "test/built-command-line.ts"];

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its public names, from the source.
    alias: Object.entries(entries).map(([entry, source]) => ({
      find: new RegExp(`^settlekit${entry.slice(1)}$`),
      replacement: resolve(import.meta.dirname, source),
    })),
  },
  test: {
    setupFiles: ["test/setup.ts", "test/every-answer.ts"],
    env: { SETTLEKIT_TEST_SEED: seed },
    // These only end tests that hang, because a busy machine may be slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    passWithNoTests: false,
    // More than cores, because tests wait for processes, sockets and databases.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          // Loaded once per worker rather than once per file.
          name: "shared modules",
          include: ["test/**/*.test.ts"],
          exclude: [...modulesOfTheirOwn, ...checks],
          isolate: false,
          globalSetup,
        },
      },
      {
        extends: true,
        test: { name: "modules of their own", include: modulesOfTheirOwn, globalSetup },
      },
      { extends: true, test: { name: "checks", include: checks, globalSetup } },
    ],
  },
});
