import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "../../src/cli/command-line.ts";
import { root } from "./code-block.ts";

/** The arguments of each `settlekit ...` in a text's shell blocks and inline code. */
function commandLines(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  const inBlocks = blocks.flatMap((code) => code.replaceAll("\\\n", " ").split("\n"));
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  const inline = [...prose.matchAll(/`((?:npx )?settlekit [^`]+)`/g)].map(([, code = ""]) => code);
  return [...inBlocks, ...inline]
    .map((line) => /^(?:npx )?settlekit\s+(.*?)(?:\s+[#>].*)?$/s.exec(line.trim())?.[1])
    .filter((line) => line !== undefined);
}

/** The words of a command line, as a shell splits them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/["']/g, ""),
  );
}

test("settlekit accepts every command line in README and guides", async () => {
  const output = { write() {} };
  let count = 0;
  for await (const file of glob(["README.md", "llms.txt", "docs/*.md"], { cwd: root })) {
    for (const line of commandLines(await readFile(join(root, file), "utf8"))) {
      if (line.startsWith("<command>")) continue;
      expect(() => parse(wordsOf(line), output), `${file}: settlekit ${line}`).not.toThrow();
      count++;
    }
  }
  expect(count).toBeGreaterThan(15);
});
