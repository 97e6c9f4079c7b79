import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { getDocPage } from "@optique/core/parser";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/command-line.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = await readFile(join(root, "docs/cli.md"), "utf8");

const single = commands.flatMap(({ words: [name = "", verb], parser }) =>
  verb === undefined ? [[name, parser] as const] : [],
);

test.each(single)("the guide lists every option of %s", (name, parser) => {
  const [, section = ""] = guide.split(`\n## settlekit ${name}\n`);
  const [own = ""] = section.split("\n## ");
  const cells = Array.from(own.matchAll(/^\| (`--.+?) \|/gm), ([, cell = ""]) => cell);
  const listed = cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`(--[\w-]+(?: [A-Z_=]+)?)`/g), ([, option]) => option),
  );
  const options = getDocPage(parser, [name])
    ?.sections.flatMap(({ entries }) => entries.map(({ term }) => term))
    .filter((term) => term.type === "option")
    .flatMap(({ names, metavar }) =>
      names.map((name) => [name, metavar].filter(Boolean).join(" ")),
    );
  expect(listed.sort()).toEqual(options?.sort());
});

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
