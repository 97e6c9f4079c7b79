import type { Time } from "../../src/http/time.ts";

/** Later than anything that tests create. */
const start = Date.parse("2030-01-01");

/** A clock that only `sleep` advances. It resolves at once. */
export class FakeTime implements Time {
  /** The duration of each sleep, in milliseconds. */
  readonly waits: number[] = [];
  current = 0;

  readonly now = () => this.current;
  readonly wallClock = () => start + this.current;
  readonly random = () => 0.5;
  readonly sleep = async (ms: number, signal?: AbortSignal) => {
    this.waits.push(ms);
    if (!signal?.aborted) this.current += ms;
  };
}
