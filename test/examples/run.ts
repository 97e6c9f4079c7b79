import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";

/** A running program. */
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

  /** Everything it has printed, on both streams. */
  get output(): string {
    return this.#output;
  }

  /** Waits until it has printed a match, and returns the match's first group. */
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

  /** Waits until a URL answers. */
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

  /** Sends a signal, and waits until it has ended. */
  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | NodeJS.Signals> {
    this.#child.kill(signal);
    return this.#exited;
  }
}
