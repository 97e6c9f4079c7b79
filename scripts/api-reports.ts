// Compares what each entry of dist exports with its report in api/, so that the public interface changes only on
// purpose. With --write it writes the reports.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  Extractor,
  ExtractorConfig,
  type ExtractorLogLevel,
  type ExtractorMessage,
} from "@microsoft/api-extractor";
import { entries, outputName } from "./entries.ts";

const root = resolve(import.meta.dirname, "..");
const reports = join(root, "api");
const writes = process.argv.includes("--write");

/** A cast, because a const enum does not exist where types are only erased. */
const level = (name: "error" | "none") => name as ExtractorLogLevel;

const manifestPath = join(root, "package.json");
const scratch = await mkdtemp(join(tmpdir(), "settlekit-api-"));
try {
  for (const entry of Object.keys(entries)) examine(outputName(entry));
} finally {
  await rm(scratch, { recursive: true });
}

function examine(output: string): void {
  const types = `dist/${output}.d.ts`;
  const report = output.replaceAll("/", "-");
  const isElement = /^checkout\/(element|react)/.test(output);
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: manifestPath,
    configObject: {
      projectFolder: root,
      newlineKind: "lf",
      mainEntryPointFilePath: join(root, types),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "ES2023",
            // Only elements need the DOM, which declares a PaymentRequest: the report would rename ours.
            lib: ["ES2024", "ESNext.Disposable", ...(isElement ? ["DOM", "DOM.Iterable"] : [])],
            module: "ESNext",
            moduleResolution: "bundler",
            types: ["node"],
            strict: true,
            // msw's declarations need the DOM.
            skipLibCheck: true,
          },
          files: [types],
        },
      },
      apiReport: {
        enabled: true,
        reportFileName: report,
        reportFolder: reports,
        reportTempFolder: scratch,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: level("error") } },
        extractorMessageReporting: {
          default: { logLevel: level("error") },
          // Everything exported is public. The documentation build reports undocumented and unexported names.
          "ae-missing-release-tag": { logLevel: level("none") },
          "ae-undocumented": { logLevel: level("none") },
          "ae-forgotten-export": { logLevel: level("none") },
        },
        tsdocMessageReporting: { default: { logLevel: level("none") } },
      },
    },
  });
  const messageCallback = (message: ExtractorMessage) => {
    message.handled = true;
    if (message.logLevel === "error") fail(`${types}: ${message.text}`);
  };
  const { apiReportChanged } = Extractor.invoke(config, { localBuild: writes, messageCallback });
  if (!apiReportChanged) return;
  if (writes) console.log(`api/${report}.api.md has changed.`);
  else {
    fail(
      `${types} differs from api/${report}.api.md. If the change is intended, run ` +
        "`npm run api` and commit the report with it.",
    );
  }
}

function fail(fact: string): void {
  console.error(fact);
  process.exitCode = 1;
}
