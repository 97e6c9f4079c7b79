import { createSandbox, type Fault } from "settlekit/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ask } from "../customer.ts";
import { create, errorOf, order, paymentsPath, send } from "../merchant.ts";

afterEach(() => {
  vi.useRealTimers();
});

const broken: Fault = { status: 503, when: "before" };

describe("a rate limit", () => {
  it("answers 429 in the documented envelope, with Retry-After", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const sandbox = createSandbox();
    sandbox.faults.rateLimit({ requestsPerSecond: 2 });
    await create(sandbox);
    await create(sandbox);
    const response = await send(sandbox, paymentsPath, { body: order });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await errorOf(response)).toEqual({
      type: "invalid_request_error",
      code: "rate_limited",
      message: expect.stringContaining("Retry-After"),
    });
    expect(sandbox.payments.all()).toHaveLength(2);
  });

  it("counts seconds of real time, independent of the sandbox's clock", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const sandbox = createSandbox();
    sandbox.faults.rateLimit({ requestsPerSecond: 1, retryAfterSeconds: 30 });
    const status = async () => (await send(sandbox, paymentsPath)).status;
    expect([await status(), await status()]).toEqual([200, 429]);
    await sandbox.clock.advance("1h");
    vi.advanceTimersByTime(999);
    expect(await status()).toBe(429);
    vi.advanceTimersByTime(1);
    expect([await status(), await status()]).toEqual([200, 429]);
    expect((await send(sandbox, paymentsPath)).headers.get("retry-after")).toBe("30");
  });

  it("can be read; changing the result does not change the limit", () => {
    const { faults } = createSandbox();
    expect(faults.limit()).toBeNull();
    faults.rateLimit({ requestsPerSecond: 2 });
    Object.assign(faults.limit() ?? {}, { requestsPerSecond: 9 });
    expect(faults.limit()).toEqual({ requestsPerSecond: 2, retryAfterSeconds: 1 });
    faults.clear();
    expect(faults.limit()).toBeNull();
  });

  it("consumes no faults, and ends when it is removed", async () => {
    const sandbox = createSandbox();
    sandbox.faults.rateLimit({ requestsPerSecond: 0 });
    sandbox.faults.next("GET /payments", broken);
    expect((await send(sandbox, paymentsPath)).status).toBe(429);
    sandbox.faults.rateLimit(null);
    expect((await send(sandbox, paymentsPath)).status).toBe(503);
  });

  it("does not apply to preflights, and neither do faults", async () => {
    const sandbox = createSandbox();
    const created = await create(sandbox);
    sandbox.faults.rateLimit({ requestsPerSecond: 0 });
    sandbox.faults.next("*", broken);
    const preflight = () => ask(sandbox, created, "/quotes", { method: "OPTIONS" });
    expect((await preflight()).status).toBe(204);
    sandbox.faults.rateLimit(null);
    expect((await preflight()).status).toBe(204);
    expect((await ask(sandbox, created, "/quotes")).status).toBe(503);
  });
});
