import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Command } from "../../src/cli/arguments/command.ts";
import { parse } from "../../src/cli/arguments/parse.ts";
import { commands } from "../../src/cli/commands.ts";
import { root } from "./code-block.ts";

const loaded = new Map<string, Command>();
for (const [name, { load }] of Object.entries(commands)) loaded.set(name, await load());

/** Each `settlekit ...` in a text's code: in blocks for shells, and in prose. */
function commandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  const inBlocks = blocks.flatMap((code) => code.replaceAll("\\\n", " ").split("\n"));
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  const inline = [...prose.matchAll(/`((?:npx )?settlekit [^`]+)`/g)].map(([, code = ""]) => code);
  return [...inBlocks, ...inline]
    .map((line) => /^(?:npx )?settlekit\s+(.*?)(?:\s+#.*)?$/s.exec(line.trim())?.[1])
    .filter((line) => line !== undefined);
}

/** The words of a command line, as a shell would give them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/["']/g, ""),
  );
}

test("every command line in README and guides is one that settlekit takes", async () => {
  let count = 0;
  for await (const file of glob(["README.md", "llms.txt", "docs/*.md"], { cwd: root })) {
    for (const line of commandLines(await readFile(join(root, file), "utf8"))) {
      const [name = "", ...args] = wordsOf(line);
      const command = loaded.get(name);
      if (command === undefined) {
        expect(line, file).toMatch(/^(--version|--help|<command>)/);
        continue;
      }
      expect(() => parse(command, args), `${file}: settlekit ${line}`).not.toThrow();
      count++;
    }
  }
  expect(count).toBeGreaterThan(15);
});

describe("the guide to the command line", async () => {
  const guide = await readFile(join(root, "docs/cli.md"), "utf8");
  const sections = guide.split(/^## settlekit /m).slice(1);

  test.each([...loaded])("lists every option of %s, and no other", (name, command) => {
    const section = sections.find((it) => it.startsWith(`${name}\n`)) ?? "";
    const rows = [...section.matchAll(/^\| `--([a-z-]+)(?: (<[a-z=]+>))?`/gm)];
    const listed = rows.map(([, option, value]) => [option, value]);
    const taken = Object.entries(command.options).map(([option, { value }]) => [option, value]);
    expect(listed.sort()).toEqual(taken.sort());
  });
});
