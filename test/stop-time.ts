import { vi } from "vitest";

/** Stops this process's clock where it is: one that went back to zero would have a client wait for its next slot. */
export function stopTime({ shouldAdvanceTime = false } = {}): void {
  // Whole, so that sums of times are exact: a rounded one can leave a timer a moment too late.
  const now = Math.ceil(performance.now());
  vi.useFakeTimers({
    shouldAdvanceTime,
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  vi.advanceTimersByTime(now);
}
