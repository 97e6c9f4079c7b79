import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import ts from "typescript";

export const root = resolve(import.meta.dirname, "../..");

/**
 * The kinds of code blocks:
 *
 * - `program`: does something when it runs
 * - `server`: a program that receives webhooks until it is stopped, marked after the fence's language
 * - `example`: a copy of a file under `examples/`, which the link before it names, and which has its own tests
 * - `fragment`: declares what it lacks, or only defines something, or is marked as one
 */
export type BlockKind = "program" | "server" | "example" | "fragment";

export interface CodeBlock {
  /** Such as `docs/webhooks.md:40`. */
  readonly place: string;
  readonly language: string;
  readonly kind: BlockKind;
  readonly code: string;
  /** The lines that its comments claim it prints, in order. `…` stands for anything. */
  readonly prints: readonly string[];
}

/** Every fenced block of README and the guides. A diff counts as its new side, in TypeScript. */
export async function codeBlocks(): Promise<CodeBlock[]> {
  const blocks: CodeBlock[] = [];
  for await (const file of glob(["README.md", "docs/*.md"], { cwd: root })) {
    const guide = await readFile(join(root, file), "utf8");
    for (const match of guide.matchAll(/^```(\w+)(?: (\w+))?\n(.*?)^```$/gms)) {
      const [, fence = "", mark, text = ""] = match;
      const [language, code] = fence === "diff" ? ["ts", newSideOf(text)] : [fence, text];
      const before = guide.slice(0, match.index);
      blocks.push({
        place: `${file}:${before.split("\n").length}`,
        language,
        kind: kindOf(code, mark, before),
        code,
        prints: [...code.matchAll(/\/\/ prints: (.+)$/gm)].map(([, line = ""]) => line),
      });
    }
  }
  return blocks;
}

/** A diff without its removed lines and its first column. */
function newSideOf(diff: string): string {
  return diff.replaceAll(/^-.*\n/gm, "").replaceAll(/^[+ ]/gm, "");
}

function kindOf(code: string, mark: string | undefined, before: string): BlockKind {
  if (/\]\(\.\.\/examples\/[\w./-]+\)\s*$/.test(before)) return "example";
  if (mark === "server" || mark === "fragment") return mark;
  const { statements } = ts.createSourceFile("block.ts", code, ts.ScriptTarget.Latest, true);
  const lacks = statements.some((statement) => /^(export )?declare /.test(statement.getText()));
  return !lacks && statements.some(does) ? "program" : "fragment";
}

function does(statement: ts.Statement): boolean {
  return !(
    ts.isImportDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isExportAssignment(statement)
  );
}
