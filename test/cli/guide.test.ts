import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { getDocPage } from "@optique/core/parser";
import { expect, test } from "vitest";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { commands } from "../../src/cli/parse.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = await readFile(join(root, "docs/cli.md"), "utf8");

test.each(Object.entries(commands))("the guide lists every option of %s", (name, command) => {
  const [, section = ""] = guide.split(`\n## settlekit ${name}\n`);
  const [own = ""] = section.split("\n## ");
  expect(own).toContain(`settlekit ${name}`);
  const listed = Array.from(
    own.matchAll(/^\| `(--[\w-]+(?: [A-Z=]+)?)` \|/gm),
    ([, option]) => option,
  );
  const page = getDocPage(command, [name]);
  const options = page?.sections
    .flatMap(({ entries }) => entries.map(({ term }) => term))
    .filter((term) => term.type === "option")
    .map(({ names, metavar }) => [...names, metavar].filter(Boolean).join(" "));
  expect(listed.sort()).toEqual(options?.sort());
});

test("the guide explains every exit code", () => {
  for (const code of Object.values(exitCodes)) expect(guide).toMatch(new RegExp(`\\b${code}\\b`));
});
