import { glob, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { everyError } from "../../scripts/errors.ts";
import { codeForStatus } from "../../src/wire/envelope.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFile(resolve(root, path), "utf8");

/** The codes in the first column of a section's tables. */
function codesOf(section: string): string[] {
  const rows = section.replaceAll(/^\|.*\n(?=\| ?-)/gm, "");
  const cells = [...rows.matchAll(/^\| +((?:`[\w]+`[ ,]*)+)/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code));
}

/** A guide's sections of the second level, by heading. */
function sectionsOf(guide: string): Map<string, string> {
  const parts = guide.split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.split("\n")[0] ?? "", part]));
}

/** The codes that settlekit raises, by class. */
const made = new Map<string, Set<string>>();
for (const { class: name, codes } of everyError()) {
  made.set(name, new Set([...(made.get(name) ?? []), ...codes]));
}
// UsageError has no code, the class of an API error depends on its status, and the other two have tests of their own.
const elsewhere = [
  ...["UsageError", "ErrorClass", "ApiError", "ConnectionError", "WebhookVerificationError"],
];
const classes = [...made.keys()].filter((name) => !elsewhere.includes(name));

let sections: Map<string, string>;
beforeAll(async () => {
  sections = sectionsOf(await read("docs/errors.md"));
});

describe("the guide to errors", () => {
  test.each(classes)("names every code of %s that the source raises, and no other", (name) => {
    const codes = new Set(codesOf(sections.get(name) ?? ""));
    expect([...codes].sort()).toEqual([...(made.get(name) ?? [])].sort());
  });

  test("has a section for every class that the package exports, where error.docs points", async () => {
    const exported = [...(await read("src/index.ts")).matchAll(/\b(\w+Error)\b/g)];
    const names = new Set(exported.map(([, name = ""]) => name));
    expect([...names].filter((name) => !sections.has(name))).toEqual([]);
    expect(names.size).toBeGreaterThan(14);
  });

  test("gives the code of each status for answers without one", () => {
    const rows = [
      ...(sections.get("ApiError") ?? "").matchAll(/^\| `(\w+)`[^|]*\| (5xx|any|\d+)/gm),
    ];
    expect(rows.length).toBe(9);
    for (const [, code, status = ""] of rows) {
      const example = { "5xx": 503, any: 418 }[status] ?? Number(status);
      expect(codeForStatus(example)).toBe(code);
    }
  });

  test("names the codes of ConnectionError that are settlekit's own", async () => {
    let source = "";
    for await (const file of glob("src/{http,cli}/*.ts", { cwd: root })) source += await read(file);
    const own = codesOf(sections.get("ConnectionError") ?? "").filter((code) =>
      /^[a-z]/.test(code),
    );
    expect(own).toEqual(["connection_failed", "no_answer", "fetch_failed", "no_sandbox"]);
    for (const code of own) expect(source).toContain(`"${code}"`);
  });
});

test("the guide to webhooks explains every reason for a refusal, and no other", async () => {
  const source = await read("src/errors.ts");
  const reasons = [...source.matchAll(/^ {2}\| "(\w+)"/gm)].map(([, reason = ""]) => reason);
  const section =
    sectionsOf(await read("docs/webhooks.md")).get("Why a delivery was refused") ?? "";
  const table = section.split(/^### /m)[0] ?? "";
  expect(reasons.length).toBeGreaterThan(10);
  expect(codesOf(table).sort()).toEqual(reasons.sort());
});

test("the guide to the sandbox names every code that its answers carry", async () => {
  const guide = (await read("docs/sandbox.md")) + (await read("docs/sandbox-reference.md"));
  const answered = new Set<string>();
  for await (const file of glob("src/sandbox/**/*.ts", { cwd: root })) {
    for (const [, code = ""] of (await read(file)).matchAll(/\bcode: "([a-z_]+)"/g))
      answered.add(code);
  }
  const thrown = new Set([...made.values()].flatMap((codes) => [...codes]));
  const refusals = [...answered].filter((code) => !thrown.has(code));
  expect(refusals.length).toBeGreaterThan(5);
  expect(refusals.filter((code) => !guide.includes(`\`${code}\``))).toEqual([]);
});
