// Marks in the built declarations what an entry exports as a type only. rollup-plugin-dts writes `export { Page }` even
// for a class that the source exports with `export type`. Importing it without `type` would then compile, although
// there is no such export at run time.

import { readFile, writeFile } from "node:fs/promises";
import ts from "typescript";
import { entries, outputName } from "./entries.ts";

for (const [entry, source] of Object.entries(entries)) {
  const types = new Set<string>();
  for (const { isTypeOnly, specifiers } of exportsOf(source, await readFile(source, "utf8"))) {
    for (const specifier of specifiers) {
      if (isTypeOnly || specifier.isTypeOnly) types.add(specifier.name.text);
    }
  }
  const path = `dist/${outputName(entry)}.d.ts`;
  let text = await readFile(path, "utf8");
  for (const { isTypeOnly, specifiers, start, end, from } of exportsOf(path, text).reverse()) {
    if (isTypeOnly) continue;
    const list = (those: ts.ExportSpecifier[]) => those.map((it) => it.getText()).join(", ");
    const isType = ({ name }: ts.ExportSpecifier) => types.has(name.text);
    const parts = [
      ["export", specifiers.filter((it) => !isType(it))],
      ["export type", specifiers.filter(isType)],
    ] as const;
    const lines = parts.map(([keyword, those]) =>
      those.length === 0 ? "" : `${keyword} { ${list(those)} }${from};`,
    );
    text = text.slice(0, start) + lines.filter(Boolean).join("\n") + text.slice(end);
  }
  await writeFile(path, text);
}

/** The `export { ... }` declarations of a file, in order. */
function exportsOf(path: string, text: string) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return file.statements.filter(ts.isExportDeclaration).flatMap((declaration) => {
    const { exportClause, isTypeOnly, moduleSpecifier } = declaration;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
    return {
      isTypeOnly,
      specifiers: [...exportClause.elements],
      start: declaration.getStart(),
      end: declaration.end,
      from: moduleSpecifier ? ` from ${moduleSpecifier.getText()}` : "",
    };
  });
}
