import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PostgresListener } from "../../src/stores/postgres-listener.ts";
import type { PostgresClient } from "../../src/stores/postgres-pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A listener whose connections are counted. */
function counted(listen: (client: EventEmitter) => Promise<unknown> = async () => {}) {
  const held = new Set<object>();
  const connect = vi.fn(async () => {
    const client = Object.assign(new EventEmitter(), {
      query: () => listen(client),
      release: () => void held.delete(client),
    });
    held.add(client);
    return client as unknown as PostgresClient;
  });
  return { held, connect, listener: new PostgresListener(connect, "settlekit") };
}

it("holds one client of the pool after a connection has died during LISTEN", async () => {
  let isFirst = true;
  const { held, connect, listener } = counted(async (client) => {
    if (!isFirst) return;
    isFirst = false;
    // pg reports both.
    client.emit("error", new Error("Connection terminated unexpectedly"));
    throw new Error("Connection terminated unexpectedly");
  });
  const unsubscribe = listener.add("inbox", () => {});
  await vi.advanceTimersByTimeAsync(60_000);
  expect(connect).toHaveBeenCalledTimes(2);
  expect(held.size).toBe(1);
  await unsubscribe();
  expect(held.size).toBe(0);
});

it("listens for a worker that starts while the last one stops", async () => {
  const { held, listener } = counted();
  const unsubscribeFirst = listener.add("inbox", () => {});
  await vi.advanceTimersByTimeAsync(0);
  const woken = vi.fn();
  const closing = unsubscribeFirst();
  const unsubscribeSecond = listener.add("payouts", woken);
  await closing;
  await vi.advanceTimersByTimeAsync(0);
  for (const client of held) (client as EventEmitter).emit("notification", { payload: "payouts" });
  // Once when it began to listen.
  expect(woken).toHaveBeenCalledTimes(2);
  await unsubscribeSecond();
  expect(held.size).toBe(0);
});

it.each([
  ["an idle listener is closed", 0],
  ["a connected one is closed", 1],
  ["a connected one is closed twice", 2],
])("holds one client of the pool after a worker has started while %s", async (_, closes) => {
  const { held, listener } = counted();
  if (closes > 0) {
    listener.add("inbox", () => {});
    await vi.advanceTimersByTimeAsync(0);
  }
  const closing = [listener.close()];
  if (closes > 1) closing.push(listener.close());
  const unsubscribe = listener.add("payouts", () => {});
  await Promise.all(closing);
  await vi.advanceTimersByTimeAsync(0);
  expect(held.size).toBe(1);
  await unsubscribe();
  expect(held.size).toBe(0);
});
