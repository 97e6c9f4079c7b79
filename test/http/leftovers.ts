import { getEventListeners } from "node:events";
import { vi } from "vitest";
import { stopTime } from "../stop-time.ts";

/**
 * Runs work under fake timers that advance as fast as they can. Once it has settled, returns how many timers are still
 * pending, and how many abort listeners it left on a signal that outlives it, such as a server's shutdown signal.
 */
export async function leftovers(
  work: (signal: AbortSignal, abort: () => void) => Promise<unknown>,
): Promise<{ timers: number; listeners: number }> {
  stopTime();
  try {
    const controller = new AbortController();
    const { signal } = controller;
    let ended = false;
    const end = () => {
      ended = true;
    };
    work(signal, () => controller.abort()).then(end, end);
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(50);
    }
    return { timers: vi.getTimerCount(), listeners: getEventListeners(signal, "abort").length };
  } finally {
    vi.useRealTimers();
  }
}

export const nothing = { timers: 0, listeners: 0 };
