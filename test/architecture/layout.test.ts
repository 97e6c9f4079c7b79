import { glob, readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const files: string[] = [];
const pattern = "{src,test,scripts,bench,examples}/**/*.{ts,tsx,mjs,cjs,css}";
for await (const file of glob(pattern, { cwd: root, exclude: isBuilt })) files.push(file);
const sources = files.filter((file) => file.startsWith("src/"));

/** Whether the path was installed or built. */
function isBuilt(path: string): boolean {
  return /^(node_modules|dist|\.next|\.wrangler)$/.test(basename(path));
}

test("no file is longer than 300 lines, unless its top says why", async () => {
  const long: string[] = [];
  for (const file of files) {
    const text = await readFile(resolve(root, file), "utf8");
    if (text.split("\n").length > 301 && !/^\/\/ Longer than 300 lines/.test(text)) long.push(file);
  }
  expect(files.length).toBeGreaterThan(500);
  expect(long).toEqual([]);
});

// Raise a limit only for a feature that needs the lines.
test.each([
  ["cli", 3_996],
  ["evm", 474],
  ["http", 2_521],
  ["resources", 2_528],
  ["sandbox", 6_480],
  ["testing", 401],
  ["webhooks", 1_724],
  ["wire", 1_737],
])("src/%s stays within %i lines", async (folder, limit) => {
  let lines = 0;
  for (const file of sources.filter((file) => file.startsWith(`src/${folder}/`))) {
    if (!file.endsWith(".ts")) continue;
    lines += (await readFile(resolve(root, file), "utf8")).split("\n").length - 1;
  }
  expect(lines).toBeGreaterThan(limit / 2);
  expect(lines).toBeLessThanOrEqual(limit);
});

test("no folder or file has a catch-all name", () => {
  const drawers = /^(utils?|helpers?|common|shared|lib|misc)$/;
  const names = (file: string) => [...dirname(file).split("/"), basename(file, ".ts")];
  expect(sources.filter((file) => names(file).some((name) => drawers.test(name)))).toEqual([]);
});

/** The sources whose text matches. */
async function sourcesWith(text: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (const file of sources) {
    if (text.test(await readFile(resolve(root, file), "utf8"))) found.push(file);
  }
  return found.sort();
}

test("no deprecation stands in an export list, whose comments are missing from the declarations", async () => {
  expect(await sourcesWith(/@deprecated.*\n *\w+ as \w+,/)).toEqual([]);
});

test("only one file imports ky and calls fetch", async () => {
  expect(await sourcesWith(/from "ky"/)).toEqual(["src/http/send.ts"]);
  const callers = await sourcesWith(/\bglobalThis\.fetch\b|\bawait fetch\(/);
  expect(callers.filter((file) => /^src\/(http|resources|checkout)\//.test(file))).toEqual([
    "src/http/send.ts",
  ]);
});
