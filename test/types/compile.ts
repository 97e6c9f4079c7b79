// Type-checks projects with one compiler, in one process that parses each file once. Takes the compiler's folder and
// the projects' tsconfig files; prints the errors of each.

import { createRequire } from "node:module";
import type { CompilerHost, Diagnostic, SourceFile } from "typescript";

const [compiler = "", ...configs] = process.argv.slice(2);
const ts: typeof import("typescript") = createRequire(import.meta.url)(compiler);

const parsedFiles = new Map<string, SourceFile>();
const complaints: Record<string, string> = {};
for (const config of configs) complaints[config] = text(check(config));
process.stdout.write(JSON.stringify(complaints));

function check(config: string): readonly Diagnostic[] {
  const problems: Diagnostic[] = [];
  const parsed = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => problems.push(diagnostic),
  });
  if (parsed === undefined) return problems;
  const { options, fileNames } = parsed;
  const host = withMemory(ts.createCompilerHost(options));
  return [
    ...parsed.errors,
    ...ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options, host)),
  ];
}

/** Keeps parsed files: the settings that differ between the projects do not change how a file is parsed. */
function withMemory(host: CompilerHost): CompilerHost {
  const { getSourceFile } = host;
  host.getSourceFile = (file, options, ...rest) => {
    const format = typeof options === "object" ? options.impliedNodeFormat : undefined;
    const key = `${file} ${format}`;
    const known = parsedFiles.get(key);
    if (known) return known;
    const parsed = getSourceFile(file, options, ...rest);
    if (parsed) parsedFiles.set(key, parsed);
    return parsed;
  };
  return host;
}

function text(diagnostics: readonly Diagnostic[]): string {
  return ts.formatDiagnostics(diagnostics, {
    getCurrentDirectory: () => process.cwd(),
    getCanonicalFileName: (file) => file,
    getNewLine: () => "\n",
  });
}
