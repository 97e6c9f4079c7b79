import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./code-block.ts";

const read = (path: string) => readFile(join(root, path), "utf8");

async function guides(): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob("docs/*.md", { cwd: root })) paths.push(path);
  return paths.sort();
}

async function exampleGuides(): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob("examples/{,*/}README.md", { cwd: root })) paths.push(path);
  return paths;
}

test.each([
  ["README", "README.md"],
  ["the built documentation", "typedoc.json"],
  ["the file for assistants", "llms.txt"],
])("%s links to every guide", async (_name, path) => {
  const text = await read(path);
  expect((await guides()).filter((guide) => !text.includes(guide))).toEqual([]);
});

test("links between README, guides and other files resolve", async () => {
  const sources = [
    ...["README.md", "llms.txt", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"],
    ...(await guides()),
    ...(await exampleGuides()),
  ];
  const broken: string[] = [];
  for (const source of sources) {
    for (const [, target = ""] of (await read(source)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? source : join(source, "..", decodeURIComponent(path));
      const text = await read(file).catch(() => undefined);
      const isThere = text !== undefined && (!anchor || anchorsOf(text).includes(anchor));
      if (!isThere) broken.push(`${source}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test("no guide repeats a heading", async () => {
  for (const path of ["README.md", ...(await guides())]) {
    const anchors = anchorsOf(await read(path));
    expect(anchors, path).toEqual([...new Set(anchors)]);
  }
});

test("the tests that the security policy names exist", async () => {
  const named = [...(await read("SECURITY.md")).matchAll(/`(test\/[\w./-]+)`/g)];
  expect(named.length).toBeGreaterThan(5);
  for (const [, path = ""] of named) expect(existsSync(join(root, path)), path).toBe(true);
});

/** The anchors that GitHub generates from a file's headings. */
function anchorsOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```.*?^```$/gms, "");
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
}
