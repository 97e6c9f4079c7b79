import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "..");

interface PackedFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

interface Tarball {
  /** The path of the file. */
  readonly path: string;
  readonly files: readonly PackedFile[];
}

/** Runs npm. An error contains what npm printed to stderr, without the output of the build. */
async function npm(cwd: string, ...parameters: readonly string[]): Promise<string> {
  try {
    const { stdout } = await execute("npm", parameters, { cwd, maxBuffer: 16 * 1_048_576 });
    return stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`npm ${parameters.join(" ")} failed:\n${stderr ?? String(error)}`);
  }
}

/** Builds the package and packs it into a folder, as publishing does. */
export async function packInto(folder: string): Promise<Tarball> {
  const stdout = await npm(root, "pack", "--json", "--pack-destination", folder);
  // The build's output comes before npm's JSON.
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.search(/^\[/m)));
  return { path: join(folder, filename), files };
}

/** Makes the folder a project, and installs the packages as a user would. */
export async function installInto(folder: string, ...packages: readonly string[]): Promise<void> {
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  await npm(folder, "install", "--no-audit", "--no-fund", ...packages);
}
