import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Alarm, runWorker } from "../../src/stores/worker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A worker with one loop. */
function working(waitMs: number, turn: () => Promise<boolean>) {
  const stopping = new AbortController();
  const onError = vi.fn();
  const worker = runWorker({
    store: { listen: () => ({ close: async () => {} }) } as never,
    observers: { detached: (run) => run() },
    channel: "inbox",
    alarm: new Alarm(stopping.signal),
    drainMs: 0,
    loops: [{ waitMs, turn }],
    idle: async () => {},
    stopping,
    stopped: new AbortController(),
    onError,
  });
  return { worker, onError };
}

it.each([500, 3_600_000])(
  "repeats a loop of every %i ms within half a minute of each failure",
  async (waitMs) => {
    const turn = vi.fn(async () => false).mockRejectedValue(new Error("The database is down."));
    const { worker, onError } = working(waitMs, turn);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(onError.mock.calls.length).toBeGreaterThanOrEqual(20);
    expect(onError.mock.calls.length).toBeLessThan(30);
    turn.mockReset().mockResolvedValue(false);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(turn).toHaveBeenCalled();
    turn.mockClear();
    await vi.advanceTimersByTimeAsync(waitMs);
    expect(turn).toHaveBeenCalledOnce();
    await worker.stop();
  },
);
