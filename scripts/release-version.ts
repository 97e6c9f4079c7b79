// Raises the version according to the files in .changeset/. changesets updates package.json, this script the other
// places. It does not run npm install, which could change more of the lock file than the version.

import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
execFileSync("changeset", ["version"], { cwd: root, stdio: "inherit" });

const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

const lockPath = join(root, "package-lock.json");
const lock = JSON.parse(await readFile(lockPath, "utf8"));
lock.version = version;
lock.packages[""].version = version;
await writeFile(lockPath, `${JSON.stringify(lock, null, 2)}\n`);

const sourcePath = join(root, "src/runtime.ts");
const source = await readFile(sourcePath, "utf8");
await writeFile(sourcePath, source.replace(/version = "[^"]*"/, `version = "${version}"`));

const changelogPath = join(root, "CHANGELOG.md");
const changelog = await readFile(changelogPath, "utf8");
if (!changelog.includes("## Unreleased"))
  throw new Error("CHANGELOG.md has no section Unreleased.");
await writeFile(changelogPath, changelog.replace("## Unreleased", `## ${version}`));
