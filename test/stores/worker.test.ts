import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Alarm, runWorker } from "../../src/stores/worker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A worker with one loop. */
function working(waitMs: number, turn: () => Promise<boolean>, close = async () => {}) {
  const stopping = new AbortController();
  const onError = vi.fn();
  const worker = runWorker({
    store: { listen: () => ({ close }) } as never,
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

it("does not wait longer than drainMs for a listener that cannot connect to the database", async () => {
  const { worker } = working(
    500,
    async () => false,
    () => new Promise<void>(() => {}),
  );
  const stopped = vi.fn();
  void worker.stop().then(stopped);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(stopped).toHaveBeenCalled();
});
