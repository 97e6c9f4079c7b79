import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { entries } from "./scripts/entries.ts";

/**
 * Where random inputs begin. It is fixed, so that every run of the suite tests the same inputs. Name another with
 * SETTLEKIT_TEST_SEED; "random" draws one and prints it.
 */
const { SETTLEKIT_TEST_SEED: chosenSeed = "20260101" } = process.env;
const seed = chosenSeed === "random" ? String(Date.now() % 2 ** 31) : chosenSeed;
if (chosenSeed === "random") process.stdout.write(`SETTLEKIT_TEST_SEED=${seed}\n`);

/** Begins with the files that take longest, so that none of them is left for the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      /test\/(browser|docs|model)\//.test(moduleId);
    return [...usual.filter(isLong), ...usual.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its public names, straight from the source.
    alias: Object.entries(entries).map(([entry, source]) => ({
      find: new RegExp(`^settlekit${entry.slice(1)}$`),
      replacement: resolve(import.meta.dirname, source),
    })),
  },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts", "test/every-answer.ts"],
    env: { SETTLEKIT_TEST_SEED: seed },
    // Only what hangs runs into these: a busy machine may be slow.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    passWithNoTests: false,
    // Usually one core is left free; on two, that would be half of them.
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
  },
});
