/**
 * Removes each safeguard in test/mutants.ts from a copy of the project, and runs the test that must then fail. Several
 * copies run in parallel.
 *
 * usage: node scripts/mutants.ts [word ...]   only the mutants whose name, file or test contains one of the words
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { type Mutant, mutants } from "../test/mutants.ts";
import { fast, startPostgres } from "../test/postgres-server.ts";

const left = new Set([".git", "node_modules", "dist", "dist-docs", "coverage"]);
const project = process.cwd();
const words = process.argv.slice(2);
const chosen = mutants.filter(
  ({ name, file, test }) =>
    words.length === 0 || words.some((word) => [name, file, test].join("\n").includes(word)),
);

// One server for all runs, because otherwise each would start its own.
const postgres = await startPostgres(fast).catch(() => undefined);
const environment = { ...process.env, SETTLEKIT_TEST_DATABASE_URL: postgres?.url };
const copies = await Promise.all(Array.from({ length: availableParallelism() }, copyProject));
try {
  const suites = new Map(
    chosen.map(({ test, title = "" }) => [`${test} ${title}`, { test, title }]),
  );
  const healthy = await atOnce([...suites.values()], ({ test, title }, copy) =>
    run(copy, test, title),
  );
  const runs = new Map([...suites.keys()].map((suite, index) => [suite, healthy[index]]));
  const broken = [...runs].flatMap(([suite, made]) => (made?.result === "passed" ? [] : [suite]));
  if (broken.length > 0) throw new Error(`These fail without any mutant: ${broken.join(", ")}`);

  const usualMs = ({ test, title = "" }: Mutant) => runs.get(`${test} ${title}`)?.ms ?? 0;
  const results = await atOnce(chosen, (mutant, copy) => isCaught(mutant, usualMs(mutant), copy));
  const caught = results.filter(Boolean).length;
  if (caught < chosen.length) process.exitCode = 1;
  console.log(`${caught} of ${chosen.length} mutants caught`);
} finally {
  await Promise.all(copies.map((copy) => rm(copy, { recursive: true })));
  await postgres?.stop();
}

async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "settlekit-mutants-"));
  await cp(project, copy, {
    recursive: true,
    filter: (source) => !left.has(basename(relative(project, source))),
  });
  await symlink(join(project, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs `work` on each item, one item at a time in each copy. */
async function atOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item, copy: string) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  const working = copies.map(async (copy) => {
    for (const [index, item] of waiting) results[index] = await work(item, copy);
  });
  // Wait for all of them, because the copies are removed afterwards.
  await Promise.allSettled(working);
  await Promise.all(working);
  return results;
}

/** @param usualMs How long the test takes without the mutant. */
async function isCaught(
  { name, file, find, replace, test, title = "" }: Mutant,
  usualMs: number,
  copy: string,
): Promise<boolean> {
  const path = join(copy, file);
  const source = await readFile(path, "utf8");
  if (!source.includes(find)) {
    console.log(
      `gone     ${name}: ${file} does not contain its text. Update the table of mutants.`,
    );
    return false;
  }
  await writeFile(
    path,
    source.replaceAll(find, () => replace),
  );
  const { result } = await run(copy, test, title, 60_000 + 2 * usualMs);
  await writeFile(path, source);
  const verdict = { passed: "SURVIVED", failed: "caught  ", killed: "KILLED  " }[result];
  console.log(`${verdict} ${name}, by ${test}`);
  return result === "failed";
}

/**
 * Runs the tests in threads, which die with their process. A test that waits in vain fails at its limit; a process that
 * loops forever or fills the memory is killed after twice as long, which does not show that a test notices the mutant.
 */
async function run(copy: string, test: string, title: string, limitMs?: number) {
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const options = ["--pool=threads", "--maxWorkers=1", "--bail=1", "-t", title];
  if (limitMs !== undefined) options.push(`--testTimeout=${limitMs}`);
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ["--max-old-space-size=2048", vitest, "run", ...options, test],
    {
      cwd: copy,
      env: environment,
      stdio: "ignore",
      killSignal: "SIGKILL",
      ...(limitMs !== undefined && { timeout: 2 * limitMs }),
    },
  );
  const [code, signal] = await once(child, "exit");
  const ended = code === 0 ? "passed" : "failed";
  const result = signal === null ? ended : "killed";
  return { result, ms: Math.round(performance.now() - startedAt) } as const;
}
