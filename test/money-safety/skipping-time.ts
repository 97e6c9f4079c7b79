import { realTime, type Time } from "../../src/http/time.ts";

/** Real time whose sleeps end at once and advance the clock by their duration. */
export function skippingTime(clockJumpMs: () => number): Time {
  let skippedMs = 0;
  return {
    now: () => realTime.now() + skippedMs,
    wallClock: () => realTime.wallClock() + skippedMs + clockJumpMs(),
    random: realTime.random,
    async sleep(ms) {
      skippedMs += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
