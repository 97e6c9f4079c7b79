import { describe, expect, it } from "vitest";
import { createLanes } from "../../../src/sandbox/webhooks/lanes.ts";

/** Work that ends when the test says so. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
/** Long enough for everything that waits for promises alone. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("lanes", () => {
  it("run the work of one lane in order and other lanes beside it", async () => {
    const lanes = createLanes(10);
    const slow = gate();
    const log: string[] = [];
    void lanes.run("a", async () => {
      await slow.opened;
      log.push("a1");
    });
    void lanes.run("a", async () => void log.push("a2"));
    void lanes.run("b", async () => void log.push("b1"));
    await settled();
    expect(log).toEqual(["b1"]);
    slow.open();
    await lanes.idle();
    expect(log).toEqual(["b1", "a1", "a2"]);
  });

  it("run no more at once than their width, first come, first served", async () => {
    const lanes = createLanes(2);
    const gates = Array.from({ length: 5 }, gate);
    const started: number[] = [];
    for (const [index, { opened }] of gates.entries()) {
      void lanes.run(`lane ${index}`, () => {
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
    await lanes.idle();
  });

  it("are idle only when all work is done, and at once when there is none", async () => {
    const lanes = createLanes(1);
    await lanes.idle();
    const slow = gate();
    const log: string[] = [];
    const done = lanes.run("a", () => slow.opened).then(() => log.push("done"));
    const idle = lanes.idle().then(() => log.push("idle"));
    await settled();
    expect(log).toEqual([]);
    slow.open();
    await Promise.all([done, idle]);
    expect(log.toSorted()).toEqual(["done", "idle"]);
  });
});
