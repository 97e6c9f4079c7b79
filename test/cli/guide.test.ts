import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { getDocPage } from "@optique/core/parser";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/command-line.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = await readFile(join(root, "docs/cli.md"), "utf8");

/** The options that the guide explains once. A section may still explain one that means something else there. */
const common = optionsIn(sectionOf("Common options"));

const single = commands.flatMap(({ words: [name = "", verb], parser }) =>
  verb === undefined ? [[name, parser] as const] : [],
);

test.each(single)("the guide lists every option of %s", (name, parser) => {
  const listed = optionsIn(sectionOf(`settlekit ${name}`));
  const options = getDocPage(parser, [name])
    ?.sections.flatMap(({ entries }) => entries.map(({ term }) => term))
    .filter((term) => term.type === "option")
    .flatMap(({ names, metavar }) => names.map((name) => [name, metavar].filter(Boolean).join(" ")))
    .filter((option) => listed.includes(option) || !common.includes(option));
  expect(listed.sort()).toEqual(options?.sort());
});

function sectionOf(heading: string): string {
  const [, section = ""] = guide.split(`\n## ${heading}\n`);
  return section.split("\n## ")[0] ?? "";
}

function optionsIn(section: string): string[] {
  const cells = Array.from(section.matchAll(/^\| (`--.+?) \|/gm), ([, cell = ""]) => cell);
  return cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`(--[\w-]+(?: [A-Z_=]+)?)`/g), ([, option = ""]) => option),
  );
}

test("the guide names every command that calls the service", () => {
  const named = commands
    .filter(({ words: [, verb] }) => verb !== undefined)
    .map(({ words }) => words.join(" "));
  expect(named).toContain("withdrawals create-once");
  for (const name of named) expect(guide).toContain(`\`${name}\``);
});

test("the guide explains every exit code", () => {
  for (const code of Object.values(exitCodes)) expect(guide).toMatch(new RegExp(`\\b${code}\\b`));
});
