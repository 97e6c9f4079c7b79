import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { Run } from "./run.ts";

const root = resolve(import.meta.dirname, "../..");

/** Resolves settlekit to its source, for `node --import`. */
export const fromSource = new URL("from-source.ts", import.meta.url).href;

/** Where `npm run test:examples` installed the packed package for each example. */
const installed = process.env.EXAMPLES_FOLDER;

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
}

/** An example as users get it: a folder with npm scripts. */
export class Example {
  readonly folder: string;
  /** Whether it runs with the packed package rather than this repository's source. */
  readonly isInstalled = installed !== undefined;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
    this.folder = join(installed ?? join(root, "examples"), name);
  }

  /**
   * The first of the packages that cannot be found from the folder. Prints it, because the example's tests are then
   * skipped.
   */
  missing(...needed: string[]): string | undefined {
    const missing = needed.find((name) => {
      for (let folder = this.folder; folder !== dirname(folder); folder = dirname(folder)) {
        if (existsSync(join(folder, "node_modules", name, "package.json"))) return false;
      }
      return true;
    });
    if (missing !== undefined) {
      process.stderr.write(
        `${this.name} is skipped: ${missing} is not installed here. \`npm run test:examples\` installs it.\n`,
      );
    }
    return missing;
  }

  /** Runs a script of its package.json, like `npm run`, without this process's environment. */
  async run(script: string, variables: Readonly<Record<string, string>> = {}, more = "") {
    const manifest = await readFile(join(this.folder, "package.json"), "utf8");
    const command = (JSON.parse(manifest) as Manifest).scripts[script];
    if (command === undefined) throw new Error(`${this.name} has no script "${script}".`);
    const { HOME = tmpdir(), PATH = "" } = process.env;
    const bins = [this.folder, root].map((folder) => join(folder, "node_modules/.bin"));
    // `exec` the last command, so that signals reach it rather than the shell.
    const line = `${command} ${more}`.replace(/(?<=&& |^)(?!.*&& )/, "exec ");
    const child = spawn("/bin/sh", ["-c", line], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        HOME,
        PATH: [dirname(process.execPath), ...bins, PATH].join(delimiter),
        // Most of the startup time from source is compilation.
        NODE_COMPILE_CACHE: join(root, "node_modules/.cache/examples"),
        ...(installed === undefined && { NODE_OPTIONS: `--import ${fromSource}` }),
        ...variables,
      },
    });
    return new Run(child);
  }
}
