// Runs one suite with the packed package on every supported runtime.

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { startHost } from "../test/runtimes/host.ts";
import { type Place, type Runtime, runtimes } from "../test/runtimes/runtimes.ts";
import { installInto, packInto } from "./pack.ts";

const run = promisify(execFile);
const suite = join(import.meta.dirname, "../test/runtimes");

const scratch = await mkdtemp(join(tmpdir(), "settlekit-runtimes-"));
try {
  const place = { project: join(scratch, "project"), runtimes: join(scratch, "runtimes") };
  await installPackage(place.project);
  await installRuntimes(place.runtimes);
  const rows: Row[] = [];
  for (const runtime of runtimes) rows.push(await tryOn(runtime, place));
  print(rows);
} finally {
  await rm(scratch, { recursive: true });
}

async function installPackage(project: string): Promise<void> {
  await cp(join(suite, "programs"), project, { recursive: true });
  const { path } = await packInto(project);
  await installInto(project, path);
}

/**
 * Installs the runtimes as optional dependencies, so that npm skips those that do not run on this machine. Their
 * versions are exact; a lock file would name the files of one platform.
 */
async function installRuntimes(folder: string): Promise<void> {
  await mkdir(folder);
  await cp(join(suite, "package.json"), join(folder, "package.json"));
  const install = ["install", "--no-audit", "--no-fund"];
  await run("npm", install, { cwd: folder }).catch(({ stderr }) => console.error(stderr));
}

interface Row {
  readonly runtime: string;
  readonly version: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

async function tryOn(runtime: Runtime, place: Place): Promise<Row> {
  const { name } = runtime;
  const version = await runtime.version(place);
  if (version === undefined) {
    // Contributors may lack a runtime; CI may not.
    const problems = process.env.CI ? ["not installed"] : [];
    return { runtime: name, version: "skipped: not installed", cells: {}, problems };
  }
  await using host = await startHost(place.project);
  const startedAt = performance.now();
  const results = await Promise.race([runtime.run(place, host), tooLate()]).catch(
    (error: Error): Record<string, string> => ({ start: `failed: ${error.message}` }),
  );
  const elapsedMs = Math.round(performance.now() - startedAt);

  const marks: Record<string, string> = { passed: "ok", "does not apply": "-" };
  const cells = Object.entries(results).map(([check, result]) => [
    check,
    marks[result] ?? "FAILED",
  ]);
  const problems = Object.entries(results)
    .filter(([, result]) => marks[result] === undefined)
    .map(([check, result]) => `${check}: ${result}`);
  for (const agent of host.userAgents()) {
    if (!runtime.userAgent.test(agent)) problems.push(`User-Agent: ${agent}`);
  }
  return {
    runtime: name,
    version,
    cells: { ...Object.fromEntries(cells), ms: String(elapsedMs) },
    problems,
  };
}

async function tooLate(): Promise<never> {
  await sleep(300_000, undefined, { ref: false });
  throw new Error("No result within five minutes.");
}

function print(rows: readonly Row[]): void {
  const table = rows.map(({ runtime, version, cells }) => ({ runtime, version, ...cells }));
  const columns = [...new Set(table.flatMap((row) => Object.keys(row)))];
  const lines = [
    columns,
    ...table.map((row: Readonly<Record<string, string>>) => columns.map((name) => row[name] ?? "")),
  ];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
  for (const { runtime, version, problems } of rows) {
    for (const problem of problems) console.error(`\n${runtime} ${version}: ${problem}`);
  }
  if (rows.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}
