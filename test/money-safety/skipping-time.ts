import { realTime, type Time } from "../../src/http/time.ts";

/** Real time in which nobody waits: a sleep is over at once, and the clock has moved on by it. */
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
