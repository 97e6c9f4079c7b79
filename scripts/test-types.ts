// Type-checks a merchant's code against the packed declarations with every supported compiler and every setting that
// changes how declarations are read.

import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { installInto, packInto } from "./pack.ts";

const run = promisify(execFile);
const source = join(import.meta.dirname, "../test/types");

/**
 * How modules are resolved. Since 5.8, TypeScript lets CommonJS require ES modules; the old resolution, which TypeScript 6
 * deprecates, does not ask.
 */
const forms = {
  old: { module: "commonjs", moduleResolution: "node10" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
  node16: { module: "node16", moduleResolution: "node16" },
  commonjs: { module: "nodenext", moduleResolution: "nodenext" },
};
type Form = keyof typeof forms;

/** The platforms that declare Request, URL and the like. */
const platforms = {
  dom: { lib: ["es2022", "dom", "dom.iterable"], types: [] },
  node: { lib: ["es2022"], types: ["node"] },
  both: { lib: ["es2022", "dom", "dom.iterable"], types: ["node"] },
  workers: { lib: ["es2022"], types: ["@cloudflare/workers-types"] },
};
type Platform = keyof typeof platforms;

const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
  await readFile(join(source, "package.json"), "utf8"),
);
const compilers = Object.keys(dependencies).filter((name) => name.startsWith("typescript-"));

interface Setting {
  readonly platform: Platform;
  readonly skipLibCheck: boolean;
  readonly exactOptionalPropertyTypes: boolean;
}

const settings = (Object.keys(platforms) as Platform[]).flatMap((platform) =>
  [false, true].flatMap((skipLibCheck) =>
    [false, true].map((exactOptionalPropertyTypes): Setting => {
      return { platform, skipLibCheck, exactOptionalPropertyTypes };
    }),
  ),
);

function configName({ platform, skipLibCheck, exactOptionalPropertyTypes }: Setting): string {
  const libraries = skipLibCheck ? "skip" : "check";
  const optional = exactOptionalPropertyTypes ? "exact" : "loose";
  return `tsconfig.${platform}-${libraries}-${optional}.json`;
}

const mistakesConfig = "tsconfig.mistakes.json";
const mistakes = await readFile(join(source, "consumer/mistakes.ts"), "utf8");
const quotes = [...mistakes.matchAll(/^\/\/ (.+)\n(?!\n)/gm)].map(([, quote = ""]) => quote);

/** The projects that one process checks, because they parse files alike. */
interface Task {
  readonly compiler: string;
  readonly form: Form;
}

const tasks = compilers.flatMap((compiler): Task[] => {
  const usable: Form[] = ["bundler", "node16"];
  if (compiler >= "typescript-5.8") usable.push("commonjs");
  if (compiler < "typescript-6") usable.push("old");
  return usable.map((form) => ({ compiler, form }));
});

const scratch = await mkdtemp(join(tmpdir(), "settlekit-types-"));
try {
  const { path } = await packInto(scratch);
  const others = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  await installInto(scratch, path, ...others);
  for (const form of Object.keys(forms)) await writeProjects(form as Form);
  await checkAll();
} finally {
  await rm(scratch, { recursive: true });
}

/** One project with a tsconfig for each combination of settings, and one for the mistakes. */
async function writeProjects(form: Form): Promise<void> {
  const project = join(scratch, form);
  await cp(join(source, "consumer"), project, { recursive: true });
  const type = form === "commonjs" || form === "old" ? "commonjs" : "module";
  await writeFile(join(project, "package.json"), JSON.stringify({ type }));
  for (const setting of settings) {
    const { platform, ...flags } = setting;
    const compilerOptions = {
      target: "es2022",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      ...forms[form],
      ...platforms[platform],
      ...flags,
    };
    const files = ["server", "webhooks", "browser", "tests"];
    if (platform === "node" || platform === "both") files.push("node");
    if (platform === "dom" || platform === "both") files.push("element");
    // Errors in other packages' declarations are not ours to fix. msw has none for the old resolution.
    if (platform === "both" && flags.skipLibCheck && form !== "old") files.push("peers");
    const config = { compilerOptions, files: files.map((file) => `${file}.ts`) };
    await writeFile(join(project, configName(setting)), JSON.stringify(config));
    const mistaken = { compilerOptions, files: ["mistakes.ts"] };
    await writeFile(join(project, mistakesConfig), JSON.stringify(mistaken));
  }
}

async function checkAll(): Promise<void> {
  const startedAt = performance.now();
  const waiting = tasks.values();
  let failures = 0;
  const work = async () => {
    for (const task of waiting) {
      const complaints = Object.entries(await check(task));
      const wrong = complaints.filter(([, complaint]) => complaint !== "");
      failures += wrong.length;
      const result = wrong.length === 0 ? "ok" : `${wrong.length} FAILED`;
      const { compiler, form } = task;
      console.log(`${compiler}, ${form.padEnd(8)}: ${complaints.length} settings, ${result}`);
      for (const [config, complaint] of wrong) console.error(`${config}\n${complaint}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(`checked in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  if (failures > 0) process.exitCode = 1;
}

async function check(task: Task): Promise<Record<string, string>> {
  const mistaken = join(scratch, task.form, mistakesConfig);
  const settled = settings.map((setting) => join(scratch, task.form, configName(setting)));
  const complaints = await compile(task.compiler, [...settled, mistaken]);
  return { ...complaints, [mistaken]: unexplained(complaints[mistaken] ?? "") };
}

/** All that the compiler says, unless each error says what the comment above its line quotes. */
function unexplained(complaint: string): string {
  const errors = complaint.split(/^(?=\S+\(\d+,\d+\): error)/m);
  const isExplained =
    errors.length === quotes.length &&
    quotes.every((quote, index) => errors[index]?.includes(quote));
  return isExplained ? "" : complaint || "no errors";
}

async function compile(
  compiler: string,
  configs: readonly string[],
): Promise<Record<string, string>> {
  const folder = join(scratch, "node_modules", compiler);
  // TypeScript 7 is a native program, fast enough to start once per configuration.
  if (compiler >= "typescript-7") return checkEach(join(folder, "bin/tsc"), configs);
  const { stdout } = await run(process.execPath, [join(source, "compile.ts"), folder, ...configs], {
    maxBuffer: 16 * 1_048_576,
  });
  return JSON.parse(stdout);
}

async function checkEach(tsc: string, configs: readonly string[]): Promise<Record<string, string>> {
  const complaints: Record<string, string> = {};
  for (const config of configs) {
    complaints[config] = await run(process.execPath, [tsc, "--project", config]).then(
      () => "",
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout || stderr,
    );
  }
  return complaints;
}
