import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bundles a fleet's program into one file, which starts many times faster than its source. */
export async function buildProgram(source: URL) {
  const folder = resolve(import.meta.dirname, "../node_modules/.cache");
  const program = resolve(folder, `${source.pathname.split("/").at(-1)}-${process.pid}.mjs`);
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    external: ["pg"],
  });
  return { program, remove: () => rm(program, { force: true }) };
}

/** How processes are disturbed. */
interface Disturbance {
  readonly kills: number;
  readonly stops: number;
  /** How long each stop lasts. */
  readonly stopMs: () => number;
  /** The longest time between two kills. */
  readonly killEveryMs: number;
  readonly random: () => number;
}

/** Processes that are restarted after they are killed. */
export class Fleet {
  readonly #program: string;
  readonly #settingsOf: (index: number) => object;
  readonly #children: ChildProcess[] = [];
  /** The first output of each process, such as the port that it listens on; undefined while it starts. */
  readonly printed: (string | undefined)[] = [];
  kills = 0;
  stops = 0;

  /** @param settingsOf The settings of each process, which it reads from FLEET_SETTINGS. */
  constructor(program: string, count: number, settingsOf: (index: number) => object) {
    this.#program = program;
    this.#settingsOf = settingsOf;
    for (let index = 0; index < count; index++) this.#start(index);
  }

  /** Kills and suspends processes at random, at the same time. */
  async disturb({ kills, stops, stopMs, killEveryMs, random }: Disturbance): Promise<void> {
    const any = () => Math.floor(random() * this.#children.length);
    const killing = async () => {
      while (this.kills < kills) {
        await delay(killEveryMs * (0.3 + 0.7 * random()));
        await this.#kill(any());
      }
    };
    const suspending = async () => {
      while (this.stops < stops) {
        await delay(100 * random());
        await this.#suspend(any(), stopMs());
      }
    };
    // At most half of them at a time, so that the others keep running.
    const half = Math.floor(this.#children.length / 2);
    await Promise.all([killing(), ...Array.from({ length: half }, suspending)]);
  }

  async end(): Promise<void> {
    await Promise.all(this.#children.map(end));
  }

  #start(index: number): void {
    const child = spawn(process.execPath, ["--no-warnings", this.#program], {
      env: { ...process.env, FLEET_SETTINGS: JSON.stringify(this.#settingsOf(index)) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#children[index] = child;
    this.printed[index] = undefined;
    child.stdout.once("data", (line) => {
      if (this.#children[index] === child) this.printed[index] = String(line).trim();
    });
  }

  async #kill(index: number): Promise<void> {
    const child = this.#children[index];
    if (child === undefined) return;
    await end(child);
    this.kills++;
    this.#start(index);
  }

  /** Does not count a process that is killed meanwhile, because it was stopped for a shorter time. */
  async #suspend(index: number, ms: number): Promise<void> {
    const child = this.#children[index];
    child?.kill("SIGSTOP");
    await delay(ms);
    if (child?.kill("SIGCONT")) this.stops++;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Random numbers from 0 to 1 that depend only on the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
