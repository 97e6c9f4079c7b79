import { getEventListeners } from "node:events";
import { vi } from "vitest";
import { stopTime } from "../stop-time.ts";

/**
 * What work leaves behind once it has ended, well or badly: timers that are still pending, and
 * listeners on a signal that lives on, as a server's for its shutdown. Time passes as fast as it can.
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
