/**
 * Takes each safeguard of test/mutants.ts out of a copy of the project and runs the test that has to notice.
 *
 * usage: node scripts/mutants.ts [word ...]   only the mutants whose name, file or test holds one of the words
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { type Mutant, mutants } from "../test/mutants.ts";

const left = new Set([".git", "node_modules", "dist", "dist-docs", "coverage"]);
const project = process.cwd();
const words = process.argv.slice(2);
const chosen = mutants.filter(
  ({ name, file, test }) =>
    words.length === 0 || words.some((word) => [name, file, test].join("\n").includes(word)),
);

const copy = mkdtempSync(join(tmpdir(), "settlekit-mutants-"));
try {
  cpSync(project, copy, {
    recursive: true,
    filter: (source) => !left.has(basename(relative(project, source))),
  });
  symlinkSync(join(project, "node_modules"), join(copy, "node_modules"));

  const tests = [...new Set(chosen.map(({ test }) => test))];
  if (!run(tests)) throw new Error(`The tests fail without any mutant: ${tests.join(", ")}`);

  const survivors = chosen.filter((mutant) => !isCaught(mutant));
  if (survivors.length > 0) process.exitCode = 1;
  console.log(`${chosen.length - survivors.length} of ${chosen.length} mutants caught`);
} finally {
  rmSync(copy, { recursive: true });
}

function isCaught({ name, file, find, replace, test, title }: Mutant): boolean {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  if (!source.includes(find)) {
    console.log(`gone     ${name}: ${file} does not hold its text. Update the table of mutants.`);
    return false;
  }
  writeFileSync(
    path,
    source.replaceAll(find, () => replace),
  );
  const passed = run([test], title);
  writeFileSync(path, source);
  console.log(`${passed ? "SURVIVED" : "caught  "} ${name}, by ${test}`);
  return !passed;
}

/** Whether the tests pass. A mutant may loop: threads end with their process. */
function run(tests: readonly string[], title = ""): boolean {
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const args = [
    "--max-old-space-size=2048",
    vitest,
    "run",
    "--pool=threads",
    "--bail=1",
    "-t",
    title,
    ...tests,
  ];
  const limits = { timeout: 120_000 * tests.length, killSignal: "SIGKILL" } as const;
  return spawnSync(process.execPath, args, { cwd: copy, stdio: "ignore", ...limits }).status === 0;
}
