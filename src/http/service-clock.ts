import { readHttpDate } from "./http-date.ts";
import type { Time } from "./time.ts";

/** The service's time, as its Date headers tell it: what expires there expires by it. */
export class ServiceClock {
  readonly #time: Time;
  /** The service's time when the local clock that never jumps stood at zero. */
  #origin: number | undefined;
  /** The latest Date header: calls of one second share it, and reading a date is slow. */
  #text = "";
  #date: number | undefined;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Milliseconds since 1970. Before the first answer, the local time. */
  now(): number {
    return this.#origin === undefined ? this.#time.wallClock() : this.#origin + this.#time.now();
  }

  observe(headers: Headers): void {
    const text = headers.get("date") ?? "";
    if (text !== this.#text) {
      this.#text = text;
      this.#date = readHttpDate(text);
    }
    if (this.#date !== undefined) this.#origin = this.#date - this.#time.now();
  }
}
