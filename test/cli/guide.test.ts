import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { getDocPage } from "@optique/core/parser";
import { expect, test } from "vitest";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import type { Command, Commands } from "../../src/cli/options.ts";
import { commands } from "../../src/cli/parse.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = await readFile(join(root, "docs/cli.md"), "utf8");

const isCommand = (named: Commands[string]): named is Command => "parse" in named;
const single = Object.entries(commands).flatMap(([name, named]) =>
  isCommand(named) ? [[name, named] as const] : [],
);

test.each(single)("the guide lists every option of %s", (name, command) => {
  const [, section = ""] = guide.split(`\n## settlekit ${name}\n`);
  const [own = ""] = section.split("\n## ");
  const cells = Array.from(own.matchAll(/^\| (`--.+?) \|/gm), ([, cell = ""]) => cell);
  const listed = cells.flatMap((cell) =>
    Array.from(cell.matchAll(/`(--[\w-]+(?: [A-Z_=]+)?)`/g), ([, option]) => option),
  );
  const options = getDocPage(command, [name])
    ?.sections.flatMap(({ entries }) => entries.map(({ term }) => term))
    .filter((term) => term.type === "option")
    .flatMap(({ names, metavar }) =>
      names.map((name) => [name, metavar].filter(Boolean).join(" ")),
    );
  expect(listed.sort()).toEqual(options?.sort());
});

test("the guide names every command that calls the service", () => {
  const named = Object.entries(commands).flatMap(([name, verbs]) =>
    isCommand(verbs) ? [] : Object.keys(verbs).map((verb) => `${name} ${verb}`),
  );
  expect(named).toContain("withdrawals create-once");
  for (const words of named) expect(guide).toContain(`\`${words}\``);
});

test("the guide explains every exit code", () => {
  for (const code of Object.values(exitCodes)) expect(guide).toMatch(new RegExp(`\\b${code}\\b`));
});
