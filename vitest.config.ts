import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

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
  },
});
