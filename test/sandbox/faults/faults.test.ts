import { createSandbox, type Fault } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import {
  create,
  errorOf,
  newYear,
  order,
  paymentsPath,
  payout,
  send,
  withdrawalsPath,
} from "../merchant.ts";

const broken: Fault = { status: 503, when: "before" };

describe("an injected answer", () => {
  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("%s the effect leaves %d payments", async (when, count) => {
    const sandbox = createSandbox();
    sandbox.faults.next("POST /payments", { status: 503, when });
    const response = await send(sandbox, paymentsPath, { body: order });
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      error: { type: "api_error", code: "server_error", message: expect.stringMatching(/sandbox/) },
    });
    expect(sandbox.payments.all()).toHaveLength(count);
    expect(sandbox.webhooks.deliveries()).toHaveLength(count);
  });

  it.each([
    ["Origin", "https://elsewhere.example"],
    ["Sec-Fetch-Site", "cross-site"],
  ])("is not consumed by a web page's request without a key: %s", async (name, value) => {
    const sandbox = createSandbox();
    sandbox.faults.next("GET /payments", broken);
    const stray = new Request(`http://sandbox.test${paymentsPath}`, { headers: { [name]: value } });
    expect((await sandbox.fetch(stray)).status).toBe(401);
    expect((await send(sandbox, paymentsPath)).status).toBe(503);
  });

  it("after the effect keeps the idempotency key: a retry returns what was created", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("POST /payments", { status: 500, when: "after" });
    const headers = { "Idempotency-Key": "key-1" };
    expect((await send(sandbox, paymentsPath, { body: order, headers })).status).toBe(500);
    const { paymentId } = await create(sandbox, {}, headers);
    expect(sandbox.payments.all().map(({ id }) => id)).toEqual([paymentId]);
  });

  it.each([
    [400, "invalid_request_error", "invalid_request"],
    [401, "authentication_error", "unauthorized"],
    [403, "invalid_request_error", "forbidden"],
    [409, "invalid_request_error", "idempotency_conflict"],
    [422, "invalid_request_error", "validation_error"],
    [429, "invalid_request_error", "rate_limited"],
    [500, "api_error", "server_error"],
  ])("with status %d has the service's type and code", async (status, type, code) => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", { status, when: "before" });
    expect(await errorOf(await send(sandbox, paymentsPath))).toMatchObject({ type, code });
  });

  it("carries Retry-After in seconds or as a date", async () => {
    const sandbox = createSandbox();
    const date = "Thu, 01 Jan 2026 00:00:30 GMT";
    for (const retryAfter of [7, date]) {
      sandbox.faults.next("*", { status: 503, when: "before", retryAfter });
      const response = await send(sandbox, paymentsPath);
      expect(response.headers.get("retry-after")).toBe(String(retryAfter));
    }
    sandbox.faults.next("*", broken);
    expect((await send(sandbox, paymentsPath)).headers.has("retry-after")).toBe(false);
  });

  it.each([
    ["verbatim text", "<html>Bad gateway</html>", "text/plain", "<html>Bad gateway</html>"],
    ["an empty one", "", "text/plain", ""],
    ["an object as JSON", { code: "down" }, "application/json", '{"code":"down"}'],
    ["null as JSON", null, "application/json", "null"],
  ])("may have a body of its own: %s", async (_title, body, type, text) => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", { status: 502, when: "before", body });
    const response = await send(sandbox, paymentsPath);
    expect(response.headers.get("content-type")).toBe(type);
    expect(await response.text()).toBe(text);
  });

  it("may be a success without a body", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("POST /withdrawals", { status: 204, when: "after", body: "unused" });
    const response = await send(sandbox, withdrawalsPath, { body: payout });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(response.headers.has("content-type")).toBe(false);
    expect(sandbox.withdrawals.all()).toHaveLength(1);
  });

  it("carries a request id and the sandbox's time, like every answer", async () => {
    const sandbox = createSandbox({ now: newYear });
    sandbox.faults.next("*", broken);
    const { headers } = await send(sandbox, paymentsPath);
    expect(headers.get("x-request-id")).toBe(sandbox.requests()[0]?.requestId);
    expect(headers.get("date")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
  });
});

describe("a queue of faults", () => {
  const statuses = async (sandbox: ReturnType<typeof createSandbox>, count: number) => {
    const seen: number[] = [];
    for (let index = 0; index < count; index++) {
      seen.push((await send(sandbox, paymentsPath)).status);
    }
    return seen;
  };

  it("repeats a fault as many times as given", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("GET /payments", { status: 500, when: "before" }, { times: 2 });
    sandbox.faults.next("GET /payments", { status: 502, when: "before" });
    expect(await statuses(sandbox, 4)).toEqual([500, 500, 502, 200]);
  });

  it("repeats a fault with infinite times until it is cleared", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", broken, { times: Number.POSITIVE_INFINITY });
    expect(await statuses(sandbox, 20)).toEqual(Array(20).fill(503));
    sandbox.faults.clear();
    expect(await statuses(sandbox, 1)).toEqual([200]);
  });

  it("does not let one route block another", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("POST /withdrawals", { status: 500, when: "before" });
    sandbox.faults.next("GET /payments", { status: 502, when: "before" });
    expect(await statuses(sandbox, 2)).toEqual([502, 200]);
    expect((await send(sandbox, withdrawalsPath, { body: payout })).status).toBe(500);
  });

  it("applies one fault per request, in the order they were added, whatever their routes", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", { status: 500, when: "before" });
    sandbox.faults.next("GET /payments", { status: 502, when: "before" });
    sandbox.faults.next("*", { status: 503, when: "before" });
    expect(await statuses(sandbox, 4)).toEqual([500, 502, 503, 200]);
  });

  it("copies the fault that it is given", async () => {
    const sandbox = createSandbox();
    const fault = { status: 500, when: "before" as const };
    sandbox.faults.next("GET /payments", fault);
    fault.status = 200;
    expect(await statuses(sandbox, 1)).toEqual([500]);
  });

  it("returns copies of its waiting faults", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("GET /payments", broken, { times: 2 });
    sandbox.faults.reset("*", { when: "after" });
    await statuses(sandbox, 1);
    const reset = {
      route: "*",
      fault: { connection: "reset", when: "after" },
      times: 1,
      probability: 1,
    };
    expect(sandbox.faults.waiting()).toEqual([
      { route: "GET /payments", fault: broken, times: 1, probability: 1 },
      reset,
    ]);
    Object.assign(sandbox.faults.waiting()[0]?.fault ?? {}, { status: 200 });
    expect(await statuses(sandbox, 1)).toEqual([503]);
    expect(sandbox.faults.waiting()).toEqual([reset]);
  });

  it("applies a fault by probability, decided by the seed", async () => {
    const played = async (seed: string, hasCertain = false) => {
      const sandbox = createSandbox({ seed });
      if (hasCertain) sandbox.faults.next("POST /payments", broken);
      await send(sandbox, paymentsPath, { body: order });
      sandbox.faults.next("GET /payments", broken, { probability: 0.25 });
      return statuses(sandbox, 200);
    };
    const seen = await played("one");
    expect(seen).toEqual(await played("one"));
    // A fault without a probability draws nothing.
    expect(seen).toEqual(await played("one", true));
    expect(seen).not.toEqual(await played("two"));
    const hits = seen.filter((status) => status === 503).length;
    expect(hits).toBeGreaterThan(25);
    expect(hits).toBeLessThan(75);
  });

  it("repeats a fault with a probability forever, or as many times as given", async () => {
    const sandbox = createSandbox({ seed: "chance" });
    sandbox.faults.next("GET /payments", broken, { probability: 0.5, times: 2 });
    expect(sandbox.faults.waiting()).toMatchObject([{ times: 2, probability: 0.5 }]);
    const seen = await statuses(sandbox, 40);
    expect(seen.filter((status) => status === 503)).toHaveLength(2);
    sandbox.faults.next("GET /payments", broken, { probability: 0.5 });
    await statuses(sandbox, 40);
    expect(sandbox.faults.waiting()).toMatchObject([{ times: Number.POSITIVE_INFINITY }]);
  });

  it("applies the next fault when chance skips the first", async () => {
    const sandbox = createSandbox({ seed: "chance" });
    sandbox.faults.next("GET /payments", broken, { probability: 0.5 });
    sandbox.faults.next("GET /payments", { status: 500, when: "before" }, { times: 100 });
    const seen = await statuses(sandbox, 40);
    expect(new Set(seen)).toEqual(new Set([500, 503]));
  });

  it("decides by chance without changing later ids", async () => {
    const ids = async (probability?: number) => {
      const sandbox = createSandbox({ seed: "ids" });
      if (probability) sandbox.faults.next("POST /withdrawals", broken, { probability });
      await send(sandbox, withdrawalsPath, { body: payout });
      return (await create(sandbox)).paymentId;
    };
    expect(await ids(0.5)).toBe(await ids());
  });

  it("applies probability to answers after the effect and to broken connections", async () => {
    const sandbox = createSandbox({ seed: 7 });
    sandbox.faults.next("POST /payments", { status: 503, when: "after" }, { probability: 0.5 });
    sandbox.faults.truncate("POST /payments", { probability: 0.5 });
    let whole = 0;
    for (let index = 0; index < 40; index++) {
      const response = await send(sandbox, paymentsPath, { body: order });
      const isRead = await response.json().then(
        () => true,
        () => false,
      );
      if (response.status === 201 && isRead) whole++;
    }
    expect(sandbox.payments.all()).toHaveLength(40);
    expect(whole).toBeGreaterThan(2);
    expect(whole).toBeLessThan(20);
  });

  it("is cleared by a reset, together with the rate limit", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", broken);
    sandbox.faults.rateLimit({ requestsPerSecond: 0 });
    sandbox.reset();
    expect(await statuses(sandbox, 1)).toEqual([200]);
  });
});
