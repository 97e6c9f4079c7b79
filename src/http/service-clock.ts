import type { Time } from "./time.ts";

/** The service's time, as its Date headers tell it: what expires there expires by it. */
export class ServiceClock {
  readonly #time: Time;
  #aheadMs = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#time.wallClock() + this.#aheadMs;
  }

  observe(headers: Headers): void {
    const date = Date.parse(headers.get("date") ?? "");
    if (!Number.isNaN(date)) this.#aheadMs = date - this.#time.wallClock();
  }
}
