import type { Time } from "./time.ts";

/** The pause that all calls of a client share after a 429, so that not each finds out by itself. */
export class Pause {
  readonly #time: Time;
  #until = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** How long a call has to wait before it may send. */
  get remainingMs(): number {
    return Math.max(0, this.#until - this.#time.now());
  }

  extend(ms: number): void {
    this.#until = Math.max(this.#until, this.#time.now() + ms);
  }
}
