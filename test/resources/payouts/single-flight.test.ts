import { describe, expect, test } from "vitest";
import { unlessAborted } from "../../../src/http/time.ts";
import { SingleFlight } from "../../../src/resources/payouts/single-flight.ts";

/** Work that the test finishes or fails. */
function controlledWork() {
  const started: {
    signal: AbortSignal;
    finish: (value: string) => void;
    fail: (reason: unknown) => void;
  }[] = [];
  const start = (signal: AbortSignal) =>
    new Promise<string>((finish, fail) => {
      started.push({ signal, finish, fail });
    });
  return { started, start };
}

const caller = (signal?: AbortSignal) => ({
  operation: "dashboard.withdrawals.createOnce",
  idempotencyKey: "key-1",
  signal,
  inTime: (other: Promise<unknown>) => unlessAborted(other, signal),
  aborted: () => signal?.reason,
});

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("calls for one name", () => {
  test("share their work when they request the same", async () => {
    const flights = new SingleFlight<string>();
    const { started, start } = controlledWork();
    const calls = [1, 2, 3].map(() => flights.run(["order"], "same", start, caller()));
    await settle();
    expect(started).toHaveLength(1);
    started[0]?.finish("done");
    expect(await Promise.all(calls)).toEqual(["done", "done", "done"]);
  });

  test("take turns when they request different things", async () => {
    const flights = new SingleFlight<string>();
    const { started, start } = controlledWork();
    const first = flights.run(["order"], "25 dollars", start, caller());
    const second = flights.run(["order"], "30 dollars", start, caller());
    await settle();
    expect(started).toHaveLength(1);
    started[0]?.finish("first");
    expect(await first).toBe("first");
    await settle();
    started[1]?.finish("second");
    expect(await second).toBe("second");
  });

  test("start new work once the previous work is done", async () => {
    const flights = new SingleFlight<string>();
    const { started, start } = controlledWork();
    const first = flights.run(["order"], "same", start, caller());
    started[0]?.finish("first");
    await first;
    const second = flights.run(["order"], "same", start, caller());
    await settle();
    started[1]?.finish("second");
    expect(await second).toBe("second");
  });

  test("take turns when they have one name in common, even with a call that joined another", async () => {
    const flights = new SingleFlight<string>();
    const { started, start } = controlledWork();
    void flights.run(["key 1"], "same", start, caller());
    void flights.run(["key 1", "function"], "same", start, caller());
    void flights.run(["key 2", "function"], "with key 2", start, caller());
    await settle();
    expect(started).toHaveLength(1);
    started[0]?.finish("done");
    await settle();
    expect(started).toHaveLength(2);
  });

  test("do not wait for other names", async () => {
    const flights = new SingleFlight<string>();
    const { started, start } = controlledWork();
    void flights.run(["order 1"], "same", start, caller());
    void flights.run(["order 2"], "same", start, caller());
    await settle();
    expect(started).toHaveLength(2);
  });
});

describe("an abort", () => {
  test("of one caller leaves the work to the others", async () => {
    const flights = new SingleFlight<string>();
    const { started, start } = controlledWork();
    const controller = new AbortController();
    const leaving = flights.run(["order"], "same", start, caller(controller.signal));
    const staying = flights.run(["order"], "same", start, caller());
    controller.abort();
    await expect(leaving).rejects.toMatchObject({
      name: "AbortError",
      outcome: "unknown",
      operation: "dashboard.withdrawals.createOnce",
      idempotencyKey: "key-1",
    });
    expect(started[0]?.signal.aborted).toBe(false);
    started[0]?.finish("done");
    expect(await staying).toBe("done");
  });

  test("of the last caller aborts the work, and new callers wait for its end", async () => {
    const flights = new SingleFlight<string>();
    const { started, start } = controlledWork();
    const controller = new AbortController();
    const last = flights.run(["order"], "same", start, caller(controller.signal));
    controller.abort(new Error("enough"));
    await settle();
    expect(started[0]?.signal.aborted).toBe(true);
    const newcomer = flights.run(["order"], "same", start, caller());
    await settle();
    expect(started).toHaveLength(1);
    started[0]?.fail(new Error("ended"));
    await expect(last).rejects.toThrow("ended");
    await settle();
    expect(started).toHaveLength(2);
    started[1]?.finish("anew");
    expect(await newcomer).toBe("anew");
  });
});
