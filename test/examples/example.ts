import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

const root = resolve(import.meta.dirname, "../..");

/** Where `npm run test:examples` has installed the packed package beside each example. */
const installed = process.env.EXAMPLES_FOLDER;

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** An example as its users have it: a folder with scripts. */
export class Example {
  readonly folder: string;
  /** Whether it runs with the packed package rather than with this repository's source. */
  readonly isInstalled = installed !== undefined;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
    this.folder = join(installed ?? join(root, "examples"), name);
  }

  /** What is said of it in test titles: its name, and what keeps it from running here. */
  title(...needed: string[]): string {
    const missing = this.missing(...needed);
    const cure = "npm run test:examples installs it";
    return missing === undefined ? this.#name : `${this.#name} (${missing} is missing; ${cure})`;
  }

  /** The first of the packages that cannot be found from the folder. */
  missing(...needed: string[]): string | undefined {
    return needed.find((name) => {
      for (let folder = this.folder; folder !== dirname(folder); folder = dirname(folder)) {
        if (existsSync(join(folder, "node_modules", name, "package.json"))) return false;
      }
      return true;
    });
  }

  /** Runs a script of its package.json, as `npm run` would, with nothing of this process's environment. */
  async run(script: string, variables: Readonly<Record<string, string>> = {}, more = "") {
    const manifest = await readFile(join(this.folder, "package.json"), "utf8");
    const command = (JSON.parse(manifest) as Manifest).scripts[script];
    if (command === undefined) throw new Error(`${this.#name} has no script "${script}".`);
    const { HOME = tmpdir(), PATH = "" } = process.env;
    const bins = [this.folder, root].map((folder) => join(folder, "node_modules/.bin"));
    // `exec`, so that signals reach the command rather than the shell; of several, the last one.
    const line = `${command} ${more}`.replace(/(?<=&& |^)(?!.*&& )/, "exec ");
    const child = spawn("/bin/sh", ["-c", line], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        HOME,
        PATH: [dirname(process.execPath), ...bins, PATH].join(delimiter),
        // Most of a start from the source is the compilation of what never changes in between.
        NODE_COMPILE_CACHE: join(root, "node_modules/.cache/examples"),
        ...(installed === undefined && { NODE_OPTIONS: `--import ${fromSource}` }),
        ...variables,
      },
    });
    return new Run(child);
  }
}

/** For `node --import`. */
export const fromSource = new URL("from-source.ts", import.meta.url).href;

/** A script that runs. */
export class Run {
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | NodeJS.Signals>;
  #output = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
    this.#exited = once(child, "close").then(([code, signal]) => code ?? signal);
  }

  /** What it has printed, on either stream. */
  get output(): string {
    return this.#output;
  }

  /** Waits until it has printed something, and gives what the expression's first group holds. */
  async printed(expression: RegExp): Promise<string> {
    const { stdout, stderr } = this.#child;
    for (;;) {
      const match = expression.exec(this.#output);
      if (match) return match[1] ?? match[0];
      const news = [stdout, stderr].flatMap((stream) => (stream ? [once(stream, "data")] : []));
      const ended = this.#exited.then((code) => {
        throw new Error(`It ended with ${code} and without ${expression}:\n${this.#output}`);
      });
      await Promise.race([...news, ended]);
    }
  }

  /** Waits until something answers at a URL. */
  async answers(url: string): Promise<void> {
    let isUp = false;
    const ended = this.#exited.then((code) => {
      if (!isUp) throw new Error(`It ended with ${code} before it answered:\n${this.#output}`);
    });
    while (!isUp) {
      const up = fetch(url)
        .then(() => true)
        .catch(() => false);
      isUp = (await Promise.race([up, ended])) === true;
      if (!isUp) await Promise.race([setTimeout(50), ended]);
    }
  }

  /** Its exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals> {
    return this.#exited;
  }

  /** Asks it to end, or ends it, and waits for that. */
  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | NodeJS.Signals> {
    this.#child.kill(signal);
    return this.#exited;
  }
}

/** A port that was free a moment ago, for servers that have to know theirs. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("There is no port.");
  return address.port;
}

/** A folder that is gone when the test ends. */
export async function scratchFolder() {
  const path = await mkdtemp(join(tmpdir(), "settlekit-example-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
