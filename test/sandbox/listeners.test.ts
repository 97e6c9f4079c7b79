import { createSandbox } from "settlekit/sandbox";
import { describe, expect, it, vi } from "vitest";
import { create, newYear, paymentsPath, send } from "./merchant.ts";

describe("sandbox.on", () => {
  it("calls listeners of one type or of all types until they unsubscribe", async () => {
    const sandbox = createSandbox({ now: newYear });
    const all: string[] = [];
    const created: string[] = [];
    sandbox.on("*", ({ type }) => all.push(type));
    const unsubscribe = sandbox.on("payment.created", ({ orderId }) => created.push(orderId));
    await create(sandbox);
    unsubscribe();
    await create(sandbox);
    sandbox.reset();
    await Promise.resolve();
    const once = ["request", "payment.created", "webhook.created", "request"];
    expect(all).toEqual([...once, ...once, "reset"]);
    expect(created).toEqual(["order_1"]);
  });

  it("reports the fault that a request met", async () => {
    const sandbox = createSandbox();
    const met: unknown[] = [];
    sandbox.on("fault.met", ({ route, fault }) => met.push([route, fault]));
    const fault = { status: 503, when: "before" } as const;
    sandbox.faults.next("POST /payments", fault);
    await send(sandbox, paymentsPath, { method: "POST" });
    expect(met).toEqual([["POST /payments", fault]]);
  });

  it("reports the end of a slow request, however much has happened since it began", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sandbox = createSandbox();
    const ended: unknown[] = [];
    sandbox.on("request", ({ path, outcome, status }) => {
      if (path === paymentsPath && outcome !== "open") ended.push([outcome, status]);
    });
    sandbox.faults.latency("GET /payments", 800, { when: "before" });
    const slow = send(sandbox, paymentsPath);
    // More than the timeline keeps.
    for (let index = 0; index < 2_001; index++) await send(sandbox, `/${index}`);
    await vi.advanceTimersByTimeAsync(800);
    vi.useRealTimers();
    expect((await slow).status).toBe(200);
    expect(ended).toEqual([["answered", 200]]);
  });

  it("reports when a refused webhook is retried", async () => {
    const sandbox = createSandbox({
      now: newYear,
      deliver: () => new Response(null, { status: 500 }),
    });
    const next: unknown[] = [];
    sandbox.on("webhook.attempted", ({ event, nextAttemptAt }) => {
      if (event === "payment.created") next.push(nextAttemptAt);
    });
    await create(sandbox);
    await sandbox.clock.advance("1h");
    expect(next).toEqual([
      "2026-01-01T00:00:30.000Z",
      "2026-01-01T00:02:30.000Z",
      "2026-01-01T00:10:30.000Z",
      "2026-01-01T00:42:30.000Z",
      null,
    ]);
  });

  it.each([
    ["an error", new Error("The listener broke."), "The listener broke."],
    ["text", "broke", 'A sandbox.on listener threw "broke".'],
    ["nothing", undefined, "A sandbox.on listener threw undefined."],
  ])("warns when a listener throws or rejects with %s", async (_, thrown, message) => {
    const sandbox = createSandbox();
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    sandbox.on("payment.created", () => {
      throw thrown;
    });
    sandbox.on("payment.created", () => Promise.reject(thrown));
    await create(sandbox);
    await vi.waitFor(() => expect(warned).toHaveBeenCalledTimes(2));
    const messages = warned.mock.calls.map(([warning]) => Object(warning).message ?? warning);
    warned.mockRestore();
    expect(messages.map(String)).toEqual([message, message]);
  });

  it("lets listeners call the sandbox, and continues when one throws", async () => {
    const sandbox = createSandbox();
    const warned = new Promise((resolve) => process.once("warning", resolve));
    sandbox.on("payment.created", () => {
      throw new Error("The listener broke.");
    });
    sandbox.on("payment.created", ({ paymentId }) => {
      void sandbox.payments.simulate(paymentId, "success");
    });
    await create(sandbox);
    expect(await warned).toMatchObject({ message: "The listener broke." });
    expect(sandbox.webhooks.deliveries().map(({ event }) => event)).toEqual([
      "payment.created",
      "payment.updated",
    ]);
  });

  it("refuses unknown types and listeners that are not functions", () => {
    const sandbox = createSandbox();
    const refused = (type: string, listener: unknown = () => {}) =>
      expect(() => sandbox.on(type as "*", listener as () => void));
    refused("payment.move").toThrow(
      'There is no event "payment.move". Did you mean payment.moved?',
    );
    // Only "created" is spelt like "updated".
    for (const type of ["payment.updated", "payment.update", "payment.completed"]) {
      refused(type).toThrow(`There is no event "${type}". Did you mean payment.moved?`);
    }
    refused("withdrawal.updated").toThrow(/Did you mean withdrawal.moved\?/);
    refused("everything").toThrow(/Pass one of: \*, request, fault.met/);
    refused("reset", "print").toThrow(/listener must be a function, got "print"/);
  });
});
