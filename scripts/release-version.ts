// Moves the version as the files in .changeset/ say: in package.json and CHANGELOG.md, which changesets
// writes, and where else it stands. No npm install: it could change the lock file beyond the version.

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
