import { glob, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { check } from "recheck";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

interface Found {
  readonly place: string;
  readonly literal: string;
  readonly expression: RegExp;
}

const found: Found[] = [];
beforeAll(async () => {
  for await (const path of glob("src/**/*.ts", { cwd: root })) {
    const text = await readFile(resolve(root, path), "utf8");
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node) => {
      if (ts.isRegularExpressionLiteral(node)) found.push(regularExpression(node, source));
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
});

function regularExpression(node: ts.RegularExpressionLiteral, source: ts.SourceFile): Found {
  const [, pattern = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  const place = `${source.fileName}:${line + 1}`;
  return {
    place,
    literal: node.text,
    expression: new RegExp(pattern, flags.replaceAll(/[gy]/g, "")),
  };
}

// Takes a third of a minute alone, and minutes on a busy machine.
test("no regular expression in src is slow for any text", { timeout: 1_500_000 }, async () => {
  expect(found.length).toBeGreaterThan(50);
  const slow: string[] = [];
  for (const { place, literal, expression } of found) {
    if ((await growthOf(expression)) > linearGrowth * 3) slow.push(`${place} ${literal}`);
  }
  expect(slow).toEqual([]);
});

test("slow regular expressions are detected", async () => {
  for (const expression of [/\s+$/, /<h1[^>]*>/, /(a+)+b/, /^(\d+)*$/]) {
    expect(await growthOf(expression), String(expression)).toBeGreaterThan(linearGrowth * 3);
  }
});

/** A text with a part that is repeated to make it longer. */
interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

const smallLength = 1000;
/** How many times longer the large text is. */
const linearGrowth = 8;

/** How much the cost of the worst text grows when it gets eight times longer: about 8 if linear, 64 if quadratic. */
async function growthOf(expression: RegExp): Promise<number> {
  const { source, flags } = expression;
  // recheck finds the worst text; its cost is measured here.
  const result = await check(source, flags, { timeout: null, maxAttackStringSize: 10_000 });
  if (result.status === "unknown") throw new Error(`recheck cannot judge ${expression}`);
  if (result.status === "vulnerable" && result.complexity.type === "exponential") return Infinity;
  const characters = new Set([...source.replaceAll(/\\./g, ""), " ", "a", "0", "/"]);
  const attacks = ["", "\0"].flatMap((suffix) =>
    [...characters].map((pump): Attack => ({ prefix: "", pump, suffix })),
  );
  if (result.status === "vulnerable") {
    const { pumps, suffix } = result.attack;
    attacks.push(...pumps.map(({ prefix, pump }): Attack => ({ prefix, pump, suffix })));
  }
  const growths = attacks.map((attack) => {
    const largeMs = costOf(expression, attack, smallLength * linearGrowth);
    // Below 1 ms, the cost of a text an eighth as long is too small to measure.
    return largeMs < 1 ? 1 : largeMs / costOf(expression, attack, smallLength);
  });
  return Math.max(...growths);
}

/** In milliseconds of this thread's CPU time, which other processes do not increase. */
function costOf(expression: RegExp, { prefix, pump, suffix }: Attack, length: number): number {
  const text = prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;
  const times = Array.from({ length: 3 }, () => {
    const begin = process.threadCpuUsage();
    expression.test(text);
    const { user, system } = process.threadCpuUsage(begin);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
