import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { inject } from "vitest";
import { run } from "../../src/cli/command-line.ts";
import { demanded } from "../on-demand.ts";

const root = resolve(import.meta.dirname, "../..");
/** The folder of the build that all tests share. */
export const built = await demanded(inject("packageBuilder"));
export const main = join(built, "cli.js");

/** This process's variables and `more`, without inherited ones that would change what the command does. */
export function variablesWith(more: Variables): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(SETTLEKIT_.*|NO_COLOR|NODE_DISABLE_COLORS|FORCE_COLOR|CI)$/.test(name),
  );
  // Shared, so that the modules are compiled only once.
  return { NODE_COMPILE_CACHE: join(built, "compiled"), ...Object.fromEntries(kept), ...more };
}

export type Variables = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One of the process's outputs, line by line. */
class Lines {
  readonly all: string[] = [];
  readonly #waiting = new Set<() => void>();
  #isComplete = false;

  constructor(input: NodeJS.ReadableStream) {
    const lines = createInterface({ input });
    lines.on("line", (line) => {
      this.all.push(line);
      for (const look of this.#waiting) look();
    });
    lines.on("close", () => {
      this.#isComplete = true;
      for (const look of this.#waiting) look();
    });
  }

  /** Resolves with the first matching line as soon as it is printed; rejects if the output ends without one. */
  next(fits: (line: string) => boolean): Promise<string> {
    return new Promise((found, failed) => {
      const look = () => {
        const line = this.all.find(fits);
        if (line !== undefined) found(line);
        else if (this.#isComplete)
          failed(new Error(`No line matches. The output was:\n${this.text}`));
        else return;
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
      look();
    });
  }

  get text(): string {
    return this.all.map((line) => `${line}\n`).join("");
  }
}

/** A running process of the built `settlekit`. */
export class CommandLine implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly stdout: Lines;
  readonly stderr: Lines;
  readonly ended: Promise<Ended>;

  constructor(args: readonly string[], variables: Variables = {}, cwd = root) {
    const child = spawn(process.execPath, [main, ...args], {
      env: variablesWith(variables),
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.process = child;
    this.stdout = new Lines(child.stdout);
    this.stderr = new Lines(child.stderr);
    this.ended = once(child, "close").then(([code, signal]) => {
      return { code, signal, stdout: this.stdout.text, stderr: this.stderr.text };
    });
  }

  /** The first JSON line on stdout with this `type`; by default, the first line without one. */
  async json<T = Record<string, unknown>>(type?: string): Promise<T> {
    const line = await this.stdout.next((text) => JSON.parse(text).type === type);
    return JSON.parse(line);
  }

  stop(signal: NodeJS.Signals = "SIGINT"): Promise<Ended> {
    this.process.kill(signal);
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}

/** Commands run one at a time, because they share this process's variables and folder. */
let previous: Promise<unknown> = Promise.resolve();

/** Runs `settlekit` to its end in this process, which is faster than starting one. */
export function settlekit(
  args: readonly string[],
  variables: Variables = {},
  cwd?: string,
): Promise<Pick<Ended, "code" | "stdout" | "stderr">> {
  const ended = previous.then(async () => {
    const before = { ...process.env };
    const folder = process.cwd();
    replaceVariables(variablesWith(variables));
    if (cwd !== undefined) process.chdir(cwd);
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    try {
      const code = await run(args, { stdout, stderr });
      return { code, stdout: await text(stdout.end()), stderr: await text(stderr.end()) };
    } finally {
      replaceVariables(before);
      process.chdir(folder);
    }
  });
  previous = ended.catch(() => {});
  return ended;
}

/** Replaces the variables in place, because Node itself reads and writes this object. */
function replaceVariables(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, variables);
}
