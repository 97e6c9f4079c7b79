import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { defineTool, described, type Tool } from "./tool.ts";

/** The part of a guide under one heading. */
interface Section {
  readonly guide: string;
  readonly heading: string;
  readonly text: string;
}

const mostSections = 5;
const longestExcerpt = 3_000;

/** Tools that read the guides in this package. They need no connection and no key. */
export function guideTools(): Tool[] {
  return [
    defineTool({
      name: "search_guides",
      description: "Searches settlekit's guides. Use words that a heading or a text would contain.",
      isReadOnly: true,
      input: { query: described(z.string().check(z.minLength(2)), "Words to look for.") },
      async run({ query }) {
        return { sections: found(await readGuides(), query) };
      },
    }),
    defineTool({
      name: "explain_error",
      description: "Explains an error's code or class, such as several_withdrawals, with the cure.",
      isReadOnly: true,
      input: { code: described(z.string().check(z.minLength(2)), "The error's `code` or `name`.") },
      async run({ code }) {
        return explanation(await readGuides(), code);
      },
    }),
  ];
}

/** The guides are in the package's root, above both the source and the build. */
async function readGuides(folder = import.meta.dirname): Promise<readonly Section[]> {
  if (!existsSync(join(folder, "docs/errors.md"))) return readGuides(dirname(folder));
  const sections: Section[] = [];
  for await (const file of glob("docs/*.md", { cwd: folder })) {
    const text = await readFile(join(folder, file), "utf8");
    for (const part of text.split(/^(?=#{1,3} )/m)) {
      const [, heading = ""] = /^#+ (.*)/.exec(part) ?? [];
      sections.push({ guide: file, heading, text: part });
    }
  }
  return sections;
}

function found(sections: readonly Section[], query: string) {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, mostSections)
    .map(({ section }) => ({ ...section, text: section.text.slice(0, longestExcerpt) }));
}

/** Each word counts once in the text, and more in the heading. */
function scoreOf({ heading, text }: Section, words: readonly string[]): number {
  const [title, content] = [heading.toLowerCase(), text.toLowerCase()];
  const inText = words.filter((word) => content.includes(word)).length;
  return inText === 0 ? 0 : inText + 2 * words.filter((word) => title.includes(word)).length;
}

function explanation(sections: readonly Section[], code: string) {
  // The reasons for refused deliveries are in the guide to webhooks.
  const ofErrors = sections.filter(({ guide }) => /(errors|webhooks)\.md$/.test(guide));
  const isRow = (line: string) => line.split("|")[1]?.includes(`\`${code}\``);
  const meanings = ofErrors.flatMap(({ heading, text }) => {
    if (heading === code) return { class: heading, text };
    const rows = text.split("\n").filter(isRow);
    return rows.length === 0 ? [] : { class: heading, text: rows.join("\n") };
  });
  if (meanings.length > 0) return { code, meanings };
  return {
    code,
    note: "settlekit has no such code. The service may have set it: see error.message.",
  };
}
