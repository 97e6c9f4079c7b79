import { readdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { entries, outputName } from "../../scripts/entries.ts";

const root = resolve(import.meta.dirname, "../..");
const names = Object.keys(entries);
const outputs = names.map(outputName);

const parse = async (file: string) =>
  ts.parseConfigFileTextToJson(file, await readFile(resolve(root, file), "utf8")).config;

test("package.json exports every entry as the build emits it, and nothing else", async () => {
  const { exports } = await parse("package.json");
  const built = outputs.map((output) => ({
    types: `./dist/${output}.d.ts`,
    default: `./dist/${output}.js`,
  }));
  const expected = Object.fromEntries(names.map((name, index) => [name, built[index]]));
  expect(exports).toEqual({ ...expected, "./package.json": "./package.json" });
});

test("TypeScript's old resolution of CommonJS projects, which reads no exports, finds the same declarations", async () => {
  const { exports, types, typesVersions } = await parse("package.json");
  const declared: Record<string, unknown> = { ".": types };
  for (const [name, [file]] of Object.entries<string[]>(typesVersions["*"])) {
    declared[`./${name}`] = file;
  }
  const expected = names.map((name) => [name, exports[name].types]);
  expect(declared).toEqual(Object.fromEntries(expected));
});

test("TypeScript finds every entry's source by its public name", async () => {
  const { compilerOptions } = await parse("tsconfig.json");
  const paths = Object.entries(entries).map(([name, source]) => [
    `settlekit${name.slice(1)}`,
    [`./${source}`],
  ]);
  expect(compilerOptions.paths).toEqual(Object.fromEntries(paths));
});

test("the reference documents every entry", async () => {
  const { entryPoints } = await parse("typedoc.json");
  expect([...entryPoints].sort()).toEqual(Object.values(entries).sort());
});

test("every entry has an API report", async () => {
  const reports = outputs.map((output) => `${output.replaceAll("/", "-")}.api.md`);
  const kept = await readdir(resolve(root, "api"));
  expect(kept.sort()).toEqual([...reports, "openapi.json"].sort());
});
