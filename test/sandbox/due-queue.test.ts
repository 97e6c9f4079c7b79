import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDueQueue } from "../../src/sandbox/due-queue.ts";

const nothing = () => {};

describe("the queue of due things", () => {
  it("gives them earliest first, and those of one time in the order they came", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20), { freq: 3 })), (steps) => {
        // A number is something added with that due time, null is something taken.
        const queue = createDueQueue();
        const model: { dueMs: number; run: () => void }[] = [];
        for (const dueMs of steps) {
          if (dueMs === null) {
            const earliest = Math.min(...model.map((entry) => entry.dueMs));
            const index = model.findIndex((entry) => entry.dueMs === earliest);
            const [expected] = index < 0 ? [] : model.splice(index, 1);
            expect(queue.first()).toBe(expected);
            expect(queue.removeFirst()).toBe(expected);
          } else {
            const entry = { dueMs, run: nothing };
            queue.add(entry);
            model.push(entry);
          }
        }
        const rest = model.toSorted((a, b) => a.dueMs - b.dueMs);
        for (const expected of rest) expect(queue.removeFirst()).toBe(expected);
        expect(queue.removeFirst()).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("is empty after it was cleared", () => {
    const queue = createDueQueue();
    queue.add({ dueMs: 1, run: nothing });
    queue.clear();
    expect(queue.first()).toBeUndefined();
    expect(queue.removeFirst()).toBeUndefined();
  });
});
