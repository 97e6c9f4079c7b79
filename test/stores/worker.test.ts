import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Alarm, type Loop, runWorker } from "../../src/stores/worker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function working(loops: readonly Loop[], unsubscribe = async () => {}) {
  const stopping = new AbortController();
  const onError = vi.fn();
  const worker = runWorker({
    store: { listen: () => unsubscribe } as never,
    observers: { detached: (run) => run() },
    channel: "inbox",
    alarm: new Alarm(stopping.signal),
    drainMs: 0,
    loops,
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
    const { worker } = working([{ waitMs, turn }]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(turn.mock.calls.length).toBeGreaterThanOrEqual(20);
    expect(turn.mock.calls.length).toBeLessThan(30);
    turn.mockReset().mockResolvedValue(false);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(turn).toHaveBeenCalled();
    turn.mockClear();
    await vi.advanceTimersByTimeAsync(waitMs);
    expect(turn).toHaveBeenCalledOnce();
    await worker.stop();
  },
);

it("reports the same error of all loops once, until it changes or a turn succeeds", async () => {
  let error: Error | undefined = new Error("The tables are missing.");
  const turn = async () => {
    if (error) throw error;
    return false;
  };
  const { worker, onError } = working([
    { waitMs: 500, turn },
    { waitMs: 30_000, turn },
  ]);
  const reported = () => onError.mock.calls.map(([{ message }]) => message);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(reported()).toEqual(["The tables are missing."]);
  error = new Error("The database is down.");
  await vi.advanceTimersByTimeAsync(300_000);
  expect(reported()).toEqual(["The tables are missing.", "The database is down."]);
  error = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  error = new Error("The database is down.");
  await vi.advanceTimersByTimeAsync(300_000);
  expect(reported()).toHaveLength(3);
  await worker.stop();
});

it("does not wait longer than drainMs for a listener that cannot connect to the database", async () => {
  const loop = { waitMs: 500, turn: async () => false };
  const { worker } = working([loop], () => new Promise<void>(() => {}));
  const stopped = vi.fn();
  void worker.stop().then(stopped);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(stopped).toHaveBeenCalled();
});

it("leaves no timer behind once it has stopped, so that the process can exit", async () => {
  const { worker } = working([{ waitMs: 500, turn: async () => false }]);
  await vi.advanceTimersByTimeAsync(1_000);
  await worker.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it("looks for work again at once if it was woken while it looked", async () => {
  const alarm = new Alarm();
  alarm.ring();
  const slept = vi.fn();
  void alarm.sleep(500).then(slept);
  await vi.advanceTimersByTimeAsync(1);
  expect(slept).toHaveBeenCalledOnce();
  void alarm.sleep(500).then(slept);
  await vi.advanceTimersByTimeAsync(499);
  expect(slept).toHaveBeenCalledOnce();
});
