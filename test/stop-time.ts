import { vi } from "vitest";

/** Stops this process's clock where it is: one that went back to zero would have a client wait for its next slot. */
export function stopTime(): void {
  const now = performance.now();
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  vi.advanceTimersByTime(now);
}
