import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

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
    alias: [
      { find: /^settlekit$/, replacement: source("index.ts") },
      { find: /^settlekit\/(.+)$/, replacement: source("$1/index.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/every-answer.ts"],
    passWithNoTests: false,
    // Usually one core is left free; on two, that would be half of them.
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
  },
});
