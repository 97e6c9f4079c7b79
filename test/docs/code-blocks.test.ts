import { execFile } from "node:child_process";
import { glob, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
// Inside the project, so that packages such as express are found.
const folder = join(root, "node_modules/.cache/code-blocks");

interface CodeBlock {
  readonly name: string;
  readonly language: string;
  readonly code: string;
}

async function codeBlocks(): Promise<CodeBlock[]> {
  const blocks: CodeBlock[] = [];
  for await (const file of glob(["README.md", "docs/*.md"], { cwd: root })) {
    const text = await readFile(join(root, file), "utf8");
    for (const [, language = "", code = ""] of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
      const name = `${file.replaceAll(/[/.]/g, "-")}-${blocks.length + 1}`;
      blocks.push({ name, language, code });
    }
  }
  return blocks;
}

let blocks: CodeBlock[];

beforeAll(async () => {
  blocks = await codeBlocks();
  await mkdir(folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the code in README and guides", () => {
  test("type-checks under strict settings", async () => {
    const code = blocks.filter(({ language }) => language === "ts" || language === "js");
    expect(code.length).toBeGreaterThan(5);
    for (const { name, code: source } of code) {
      await writeFile(join(folder, `${name}.ts`), `${source}\nexport {};\n`);
    }
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        paths: {
          settlekit: [join(root, "src/index.ts")],
          "settlekit/*": [join(root, "src/*/index.ts")],
        },
      },
      include: ["*.ts"],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc, "--project", folder]).catch(
      (error) => error,
    );
    expect(stdout).toBe("");
  }, 60_000);

  test("is written in a language that is checked", () => {
    const languages = new Set(blocks.map(({ language }) => language));
    expect(
      [...languages].filter((language) => !["ts", "js", "sh", "sql", "json"].includes(language)),
    ).toEqual([]);
  });
});
