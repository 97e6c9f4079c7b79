import { createSandbox } from "settlekit/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  newYear,
  order,
  origin,
  paymentsPath,
  payout,
  send,
  withdrawalsPath,
} from "../merchant.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("latency", () => {
  const settling = () => new Promise(setImmediate);

  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("%s the effect leaves %d payments while it lasts", async (when, count) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sandbox = createSandbox();
    sandbox.faults.latency("POST /payments", 800, { when });
    let status = 0;
    const answer = send(sandbox, paymentsPath, { body: order }).then((response) => {
      status = response.status;
    });
    await settling();
    await vi.advanceTimersByTimeAsync(799);
    await settling();
    expect([status, sandbox.payments.all().length]).toEqual([0, count]);
    await vi.advanceTimersByTimeAsync(1);
    await answer;
    expect([status, sandbox.payments.all().length]).toEqual([201, 1]);
  });

  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("of an injected answer %s the effect leaves %d payments", async (when, count) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sandbox = createSandbox();
    sandbox.faults.next("POST /payments", { status: 503, when, latencyMs: 3_000 });
    const answer = send(sandbox, paymentsPath, { body: order });
    await settling();
    await vi.advanceTimersByTimeAsync(2_999);
    expect(sandbox.requests()).toMatchObject([{ outcome: "open" }]);
    expect(sandbox.payments.all()).toHaveLength(count);
    await vi.advanceTimersByTimeAsync(1);
    expect((await answer).status).toBe(503);
    expect(sandbox.payments.all()).toHaveLength(count);
  });

  it("is after the effect by default, and may apply to several requests", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sandbox = createSandbox({ now: newYear });
    sandbox.faults.latency("POST /payments", 800, { times: 2 });
    const answers = [0, 1, 2].map(() => send(sandbox, paymentsPath, { body: order }));
    await settling();
    expect(sandbox.payments.all()).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(2);
    await vi.advanceTimersByTimeAsync(800);
    expect(await Promise.all(answers)).toHaveLength(3);
  });

  it("is the only fault that waits for a timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sandbox = createSandbox();
    sandbox.faults.next("POST /payments", { status: 503, when: "before" });
    expect((await send(sandbox, paymentsPath, { body: order })).status).toBe(503);
  });

  it("ends with the reason when the client aborts, but the request still takes effect", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sandbox = createSandbox();
    sandbox.faults.latency("POST /withdrawals", 800, { when: "before" });
    const controller = new AbortController();
    const reason = new Error("the client has gone");
    const request = new Request(origin + withdrawalsPath, {
      method: "POST",
      headers: { "X-Service-Secret-Key": sandbox.secretKey },
      body: JSON.stringify(payout),
      signal: controller.signal,
    });
    const answer = sandbox.fetch(request);
    await settling();
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    expect(sandbox.withdrawals.all()).toEqual([]);
    await vi.advanceTimersByTimeAsync(800);
    await settling();
    expect(sandbox.withdrawals.all()).toHaveLength(1);
  });

  it.each([
    ["in process", false],
    ["over a socket", true],
  ])("does not keep the process alive after a client aborts %s", async (_name, isServed) => {
    const setTimer = vi.spyOn(globalThis, "setTimeout");
    const sandbox = createSandbox();
    await using server = await sandbox.listen({ port: 0 });
    sandbox.faults.latency("GET /payments", 3_600_000);
    const controller = new AbortController();
    const headers = { "X-Service-Secret-Key": sandbox.secretKey };
    const request = new Request(server.url + paymentsPath, { headers, signal: controller.signal });
    const answer = (isServed ? fetch(request) : sandbox.fetch(request)).catch(() => {});
    const late = () => {
      const index = setTimer.mock.calls.findIndex(([, ms]) => ms === 3_600_000);
      return setTimer.mock.results[index]?.value as NodeJS.Timeout | undefined;
    };
    await expect.poll(late).toBeDefined();
    expect(late()?.hasRef()).toBe(true);
    controller.abort();
    await answer;
    await expect.poll(() => late()?.hasRef()).toBe(false);
    clearTimeout(late());
    setTimer.mockRestore();
  });

  it("does not start for a request that is already aborted", async () => {
    const sandbox = createSandbox();
    const request = new Request(origin + paymentsPath, { signal: AbortSignal.abort("too late") });
    await expect(sandbox.fetch(request)).rejects.toBe("too late");
    expect(sandbox.requests()).toEqual([]);
  });
});
