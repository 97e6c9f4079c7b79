import { vi } from "vitest";

/** Stops this process's clock at its current time: a reset to zero would make clients wait for their next slot. */
export function stopTime({ shouldAdvanceTime = false } = {}): void {
  // An integer, so that sums of times are exact: rounding can make a timer fire a moment too late.
  const now = Math.ceil(performance.now());
  vi.useFakeTimers({
    shouldAdvanceTime,
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  vi.advanceTimersByTime(now);
}
