import { describe, expect, it } from "vitest";
import { createTaskQueue } from "../../../src/sandbox/webhooks/endpoint.ts";

/** Work that ends when the test calls `open`. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
/** Waits until all work that only awaits promises has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the webhook queue", () => {
  it("runs the tasks of one key in order, and other keys concurrently", async () => {
    const queue = createTaskQueue(10);
    const slow = gate();
    const log: string[] = [];
    void queue.run("a", async () => {
      await slow.opened;
      log.push("a1");
    });
    void queue.run("a", async () => void log.push("a2"));
    void queue.run("b", async () => void log.push("b1"));
    await settled();
    expect(log).toEqual(["b1"]);
    slow.open();
    await queue.idle();
    expect(log).toEqual(["b1", "a1", "a2"]);
  });

  it("runs no more tasks at once than its concurrency, first come, first served", async () => {
    const queue = createTaskQueue(2);
    const gates = Array.from({ length: 5 }, gate);
    const started: number[] = [];
    for (const [index, { opened }] of gates.entries()) {
      void queue.run(`key ${index}`, () => {
        started.push(index);
        return opened;
      });
    }
    for (const expected of [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4],
    ]) {
      await settled();
      expect(started).toEqual(expected);
      gates[expected.length - 2]?.open();
    }
    gates[4]?.open();
    await queue.idle();
  });

  it("is idle only when all tasks are done, or immediately when there are none", async () => {
    const queue = createTaskQueue(1);
    await queue.idle();
    const slow = gate();
    const log: string[] = [];
    const done = queue.run("a", () => slow.opened).then(() => log.push("done"));
    const idle = queue.idle().then(() => log.push("idle"));
    await settled();
    expect(log).toEqual([]);
    slow.open();
    await Promise.all([done, idle]);
    expect(log.toSorted()).toEqual(["done", "idle"]);
  });
});
