import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { createStore } from "../../src/sandbox/state/store.ts";
import { create, newYear, read, send } from "./merchant.ts";

describe("sandbox.dropped", () => {
  it("counts dropped items by kind until a reset, and never a payment", async () => {
    const sandbox = createSandbox({ now: newYear });
    const none = { requests: 0, deliveries: 0, timelineEntries: 0, idempotencyKeys: 0 };
    expect(sandbox.dropped()).toEqual(none);
    const { paymentId } = await create(sandbox);
    for (let count = 0; count < 2_005; count++) await send(sandbox, "/nowhere");
    // The creation makes three timeline entries, every other request one.
    expect(sandbox.dropped()).toEqual({ ...none, requests: 1_006, timelineEntries: 8 });
    expect(sandbox.requests()).toHaveLength(1_000);
    expect((await read(sandbox, paymentId)).status).toBe("pending");
    const snapshot = sandbox.snapshot();
    sandbox.reset();
    expect(sandbox.dropped()).toEqual(none);
    sandbox.restore(snapshot);
    expect(sandbox.dropped()).toMatchObject({ requests: 1_007 });
  });
});

describe("a table with a limit", () => {
  it("drops its oldest entry, even after deletions and replacements", () => {
    const store = createStore();
    const table = store.table<number>("numbers", { limit: 3 });
    for (const [index, key] of ["a", "b", "c"].entries()) table.set(key, index);
    table.delete("a");
    table.set("b", 7);
    table.set("d", 3);
    expect(table.entries()).toEqual([
      ["b", 7],
      ["c", 2],
      ["d", 3],
    ]);
    table.set("a", 8);
    expect(table.values()).toEqual([2, 3, 8]);
    expect(store.dropped("numbers")).toBe(1);
    table.set("e", 9);
    expect(table.values()).toEqual([3, 8, 9]);
  });
});
