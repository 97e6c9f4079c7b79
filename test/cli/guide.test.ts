import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { exitCodes } from "../../src/cli/exit-code.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = await readFile(join(root, "docs/cli.md"), "utf8");

test.each(Object.entries(commands))(
  "the guide tells of every option of %s",
  async (name, { load }) => {
    const [, section = ""] = guide.split(`\n## settlekit ${name}\n`);
    const [own = ""] = section.split("\n## ");
    expect(own).toContain(`settlekit ${name}`);
    const { options } = await load();
    const told = Array.from(own.matchAll(/^\| `--([\w-]+)(?: (<[\w=]+>))?` \|/gm), (match) => [
      match[1],
      match[2],
    ]);
    const there = Object.entries(options).map(([option, { value }]) => [option, value]);
    expect(told.sort()).toEqual(there.sort());
  },
);

test("the guide tells of every exit code", () => {
  for (const code of Object.values(exitCodes)) expect(guide).toMatch(new RegExp(`\\b${code}\\b`));
});
