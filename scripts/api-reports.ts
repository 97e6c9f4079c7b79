// Holds what each entry exports to the report in api/, so that the public interface changes only on
// purpose. Reads dist; with --write it makes the reports anew.

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  Extractor,
  ExtractorConfig,
  type ExtractorLogLevel,
  type ExtractorMessage,
} from "@microsoft/api-extractor";

const root = resolve(import.meta.dirname, "..");
const reports = join(root, "api");
const writes = process.argv.includes("--write");

/** Its enum does not exist for compilers that erase types only. */
const level = (name: "error" | "none") => name as ExtractorLogLevel;

const manifestPath = join(root, "package.json");
const { exports }: { exports: Record<string, { types?: string }> } = JSON.parse(
  await readFile(manifestPath, "utf8"),
);
const entries = Object.entries(exports).flatMap(([name, { types }]) =>
  types === undefined ? [] : [{ report: reportName(name), types }],
);

const scratch = await mkdtemp(join(tmpdir(), "settlekit-api-"));
try {
  for (const { report, types } of entries) examine(report, types);
} finally {
  await rm(scratch, { recursive: true });
}
const known = new Set(entries.map(({ report }) => `${report}.api.md`));
for (const file of await readdir(reports)) {
  if (!known.has(file)) fail(`api/${file} reports no entry of package.json. Delete it.`);
}

/** "./webhooks/fastify" is reported in webhooks-fastify.api.md. */
function reportName(entry: string): string {
  return entry === "." ? "index" : entry.slice(2).replaceAll("/", "-");
}

function examine(report: string, types: string): void {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: manifestPath,
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, types),
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: "ES2023",
            // Node's types alone: the DOM has a PaymentRequest too, and ours would be renamed.
            lib: ["ES2024", "ESNext.Disposable"],
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
          // Everything that is exported is public. What lacks words or an export of its own is for the
          // documentation's build to say.
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
  if (writes) console.log(`api/${report}.api.md is new.`);
  else {
    fail(
      `What ${types} exports is not what api/${report}.api.md says. If that is meant, run ` +
        "`npm run api` and commit the report with the change.",
    );
  }
}

function fail(fact: string): void {
  console.error(fact);
  process.exitCode = 1;
}
