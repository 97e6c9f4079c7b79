import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStore } from "../../../src/sandbox/state/store.ts";
import { createDueQueue, type DueEntry } from "../../../src/sandbox/time/clock.ts";

describe("the due queue", () => {
  it("returns the earliest entry first, and entries of the same time in insertion order", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20), { freq: 3 })), (steps) => {
        // A number adds an entry with that due time, null removes the first one.
        const queue = createDueQueue(createStore());
        const model: DueEntry[] = [];
        for (const [index, dueMs] of steps.entries()) {
          if (dueMs === null) {
            const earliest = Math.min(...model.map((entry) => entry.dueMs));
            const index = model.findIndex((entry) => entry.dueMs === earliest);
            const [expected] = index < 0 ? [] : model.splice(index, 1);
            expect(queue.first()).toBe(expected);
            expect(queue.removeFirst()).toBe(expected);
          } else {
            const entry = { dueMs, kind: "quotes", subject: String(index) } as const;
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

  it("keeps its order when its store is saved and loaded in between", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5)), fc.nat(10), (times, taken) => {
        const [store, otherStore] = [createStore(), createStore()];
        const [queue, other] = [createDueQueue(store), createDueQueue(otherStore)];
        for (const [index, dueMs] of times.entries()) {
          queue.add({ dueMs, kind: "quotes", subject: String(index) });
        }
        for (let count = 0; count < taken; count++) queue.removeFirst();
        otherStore.replace(store.contents());
        other.add({ dueMs: 3, kind: "payment", subject: "late" });
        queue.add({ dueMs: 3, kind: "payment", subject: "late" });
        for (let count = taken; count <= times.length; count++) {
          expect(other.removeFirst()).toEqual(queue.removeFirst());
        }
      }),
    );
  });

  it("is empty after its store is cleared", () => {
    const store = createStore();
    const queue = createDueQueue(store);
    queue.add({ dueMs: 1, kind: "quotes", subject: "1" });
    store.clear();
    expect(queue.first()).toBeUndefined();
    expect(queue.removeFirst()).toBeUndefined();
  });
});
