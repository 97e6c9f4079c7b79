import { createSandbox, type Fault, type FaultRoute } from "settlekit/sandbox";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ask } from "./customer.ts";
import {
  create,
  errorOf,
  newYear,
  order,
  origin,
  paymentsPath,
  payout,
  send,
  withdraw,
  withdrawalsPath,
} from "./merchant.ts";

afterEach(() => {
  vi.useRealTimers();
});

const broken: Fault = { status: 503, when: "before" };

describe("an answer that is a fault", () => {
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

  it("after the effect keeps the idempotency key: a repetition finds what was created", async () => {
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
  ])("of %d has the type and code that the service would give", async (status, type, code) => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", { status, when: "before" });
    expect(await errorOf(await send(sandbox, paymentsPath))).toMatchObject({ type, code });
  });

  it("says when to come back, in seconds or at a date", async () => {
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
    ["text as it is", "<html>Bad gateway</html>", "text/plain", "<html>Bad gateway</html>"],
    ["nothing", "", "text/plain", ""],
    ["an object as JSON", { code: "down" }, "application/json", '{"code":"down"}'],
    ["null as JSON", null, "application/json", "null"],
  ])("may have another body: %s", async (_title, body, type, text) => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", { status: 502, when: "before", body });
    const response = await send(sandbox, paymentsPath);
    expect(response.headers.get("content-type")).toBe(type);
    expect(await response.text()).toBe(text);
  });

  it("may be a success that says nothing", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("POST /withdrawals", { status: 204, when: "after", body: "unused" });
    const response = await send(sandbox, withdrawalsPath, { body: payout });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(sandbox.withdrawals.all()).toHaveLength(1);
  });

  it("carries a request id and the sandbox's time, as every answer does", async () => {
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

  it("is met in order, one fault a request, and then it is over", async () => {
    const sandbox = createSandbox();
    for (const status of [500, 502, 503]) {
      sandbox.faults.next("GET /payments", { status, when: "before" });
    }
    expect(await statuses(sandbox, 5)).toEqual([500, 502, 503, 200, 200]);
  });

  it("meets as many requests as it was told", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("GET /payments", { status: 500, when: "before" }, { times: 2 });
    sandbox.faults.next("GET /payments", { status: 502, when: "before" });
    expect(await statuses(sandbox, 4)).toEqual([500, 500, 502, 200]);
  });

  it("may go on without end, until it is cleared", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", broken, { times: Number.POSITIVE_INFINITY });
    expect(await statuses(sandbox, 20)).toEqual(Array(20).fill(503));
    sandbox.faults.clear();
    expect(await statuses(sandbox, 1)).toEqual([200]);
  });

  it("of one route does not hold up another", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("POST /withdrawals", { status: 500, when: "before" });
    sandbox.faults.next("GET /payments", { status: 502, when: "before" });
    expect(await statuses(sandbox, 2)).toEqual([502, 200]);
    expect((await send(sandbox, withdrawalsPath, { body: payout })).status).toBe(500);
  });

  it("is one queue where routes overlap: what came first goes first", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", { status: 500, when: "before" });
    sandbox.faults.next("GET /payments", { status: 502, when: "before" });
    sandbox.faults.next("*", { status: 503, when: "before" });
    expect(await statuses(sandbox, 4)).toEqual([500, 502, 503, 200]);
  });

  it("keeps a fault as it was given, whatever becomes of the object", async () => {
    const sandbox = createSandbox();
    const fault = { status: 500, when: "before" as const };
    sandbox.faults.next("GET /payments", fault);
    fault.status = 200;
    expect(await statuses(sandbox, 1)).toEqual([500]);
  });

  it("can be looked at, and is not altered by altering what one sees", async () => {
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

  it("leaves a share of the requests to chance, which the seed decides", async () => {
    const played = async (seed: string) => {
      const sandbox = createSandbox({ seed });
      sandbox.faults.next("GET /payments", broken, { probability: 0.25 });
      return statuses(sandbox, 200);
    };
    const seen = await played("one");
    expect(seen).toEqual(await played("one"));
    expect(seen).not.toEqual(await played("two"));
    const hits = seen.filter((status) => status === 503).length;
    expect(hits).toBeGreaterThan(25);
    expect(hits).toBeLessThan(75);
  });

  it("goes on by chance without end, or as often as it was told", async () => {
    const sandbox = createSandbox({ seed: "chance" });
    sandbox.faults.next("GET /payments", broken, { probability: 0.5, times: 2 });
    expect(sandbox.faults.waiting()).toMatchObject([{ times: 2, probability: 0.5 }]);
    const seen = await statuses(sandbox, 40);
    expect(seen.filter((status) => status === 503)).toHaveLength(2);
    sandbox.faults.next("GET /payments", broken, { probability: 0.5 });
    await statuses(sandbox, 40);
    expect(sandbox.faults.waiting()).toMatchObject([{ times: Number.POSITIVE_INFINITY }]);
  });

  it("has the next one met where chance spares a request from the first", async () => {
    const sandbox = createSandbox({ seed: "chance" });
    sandbox.faults.next("GET /payments", broken, { probability: 0.5 });
    sandbox.faults.next("GET /payments", { status: 500, when: "before" }, { times: 100 });
    const seen = await statuses(sandbox, 40);
    expect(new Set(seen)).toEqual(new Set([500, 503]));
  });

  it("shifts no id by what chance decides", async () => {
    const ids = async (probability?: number) => {
      const sandbox = createSandbox({ seed: "ids" });
      if (probability) sandbox.faults.next("POST /withdrawals", broken, { probability });
      await send(sandbox, withdrawalsPath, { body: payout });
      return (await create(sandbox)).paymentId;
    };
    expect(await ids(0.5)).toBe(await ids());
  });

  it("meets by chance on either side of the effect, and breaks connections", async () => {
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

  it("is gone after a reset", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("*", broken);
    sandbox.faults.rateLimit({ requestsPerSecond: 0 });
    sandbox.reset();
    expect(await statuses(sandbox, 1)).toEqual([200]);
  });
});

describe("the route of a fault", () => {
  const merchantId = "{merchantId}";
  const paths = {
    "list payments": ["GET", "/v1/external/secretkey-auth/payments?limit=5"],
    "read payment": ["GET", "/v1/external/secretkey-auth/payments/p1"],
    "create payment": ["POST", "/v1/external/secretkey-auth/payments"],
    "customer's payment": ["GET", "/v1/external/payment-secret-auth/payments/p1"],
    "customer's status": ["GET", "/v1/external/payment-secret-auth/payments/p1/status"],
    "create quote": ["POST", "/v1/external/payment-secret-auth/payments/p1/quotes"],
    "list withdrawals": ["GET", "/v1/external/secretkey-auth/withdrawals"],
    "create withdrawal": ["POST", "/v1/external/secretkey-auth/withdrawals"],
    "dashboard's list": ["GET", `/v1/merchants/${merchantId}/withdrawals`],
    "dashboard's config": ["GET", `/v1/merchants/${merchantId}/withdrawals/config`],
    nowhere: ["GET", "/payments"],
  } as const;
  type Name = keyof typeof paths;

  it.each<[FaultRoute, Name[]]>([
    ["*", Object.keys(paths) as Name[]],
    [
      "GET /payments",
      ["list payments", "read payment", "customer's payment", "customer's status", "nowhere"],
    ],
    ["POST /payments", ["create payment", "create quote"]],
    ["GET /payments/{paymentId}", ["read payment", "customer's payment", "customer's status"]],
    ["GET /payments/p1/status", ["customer's status"]],
    ["GET /payments/p2", []],
    ["POST /payments/{id}/quotes", ["create quote"]],
    ["GET /withdrawals", ["list withdrawals", "dashboard's list", "dashboard's config"]],
    ["GET /withdrawals/config", ["dashboard's config"]],
    ["POST /withdrawals", ["create withdrawal"]],
    ["GET /v1/external/secretkey-auth/payments", ["list payments", "read payment"]],
    ["POST /v1/external/secretkey-auth", ["create payment", "create withdrawal"]],
    ["GET /v1/merchants/{merchantId}", ["dashboard's list", "dashboard's config"]],
  ])("%s means %j", async (route, expected) => {
    const sandbox = createSandbox();
    const met: string[] = [];
    for (const [name, [method, path]] of Object.entries(paths)) {
      sandbox.faults.clear();
      sandbox.faults.next(route, { status: 599, when: "before" });
      const url = origin + path.replace(merchantId, sandbox.merchantId);
      const response = await sandbox.fetch(new Request(url, { method }));
      if (response.status === 599) met.push(name);
    }
    expect(met).toEqual(expected);
  });

  it.each([
    "GET /payment",
    "POST /withdrawals/some-id",
    "DELETE /payments",
    "get /payments",
    "/payments",
    "GET payments",
    "",
    "GET /payments/p1/status/more",
  ])("that no operation can have is refused: %j", (route) => {
    const { faults } = createSandbox();
    expect(() => faults.next(route as FaultRoute, broken)).toThrow(
      expect.objectContaining({
        name: "InvalidRequestError",
        code: "unknown_route",
        param: "route",
        message: expect.stringContaining(JSON.stringify(route)),
      }),
    );
  });
});

describe("a fault that cannot be", () => {
  it.each([
    ["status", { status: 199, when: "before" }],
    ["status", { status: 600, when: "before" }],
    ["status", { status: 500.5, when: "before" }],
    ["when", { status: 500 }],
    ["retryAfter", { status: 500, when: "before", retryAfter: "1\r\nX-Evil: 1" }],
    ["when", { status: 500, when: "mid-answer" }],
    ["latencyMs", { latencyMs: -1, when: "before" }],
    ["latencyMs", { latencyMs: 2 ** 31, when: "before" }],
    ["when", { latencyMs: 1, when: "later" }],
    ["when", { connection: "reset" }],
    ["fault", { connection: "lost" }],
    ["fault", {}],
    ["fault", null],
  ])("is refused with %s as the param: %j", async (param, fault) => {
    const sandbox = createSandbox();
    expect(() => sandbox.faults.next("*", fault as unknown as Fault)).toThrow(
      expect.objectContaining({ name: "InvalidRequestError", code: "invalid_fault", param }),
    );
    expect((await send(sandbox, paymentsPath)).status).toBe(200);
  });

  it.each([0, -1, 1.5, Number.NaN])("is refused when it happens %d times", (times) => {
    expect(() => createSandbox().faults.next("*", broken, { times })).toThrow(
      expect.objectContaining({ param: "times" }),
    );
  });

  it.each([0, -0.1, 1.1, Number.NaN, "0.5" as unknown as number])(
    "is refused with a probability of %s",
    (probability) => {
      expect(() => createSandbox().faults.next("*", broken, { probability })).toThrow(
        expect.objectContaining({ code: "invalid_fault", param: "probability" }),
      );
    },
  );

  it.each([
    ["requestsPerSecond", { requestsPerSecond: -1 }],
    ["requestsPerSecond", { requestsPerSecond: 0.5 }],
    ["retryAfterSeconds", { requestsPerSecond: 1, retryAfterSeconds: -1 }],
  ])("is refused as a limit with %s as the param", (param, limit) => {
    expect(() => createSandbox().faults.rateLimit(limit)).toThrow(
      expect.objectContaining({ param }),
    );
  });
});

describe("latency", () => {
  const settling = () => new Promise(setImmediate);

  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("%s the effect: while it lasts there are %d payments", async (when, count) => {
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

  it("is after the effect unless it is said otherwise, and may meet several requests", async () => {
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

  it("ends for a client that gives up, with its reason; the request takes effect all the same", async () => {
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

  it("does not begin for a request that was given up before", async () => {
    const sandbox = createSandbox();
    const request = new Request(origin + paymentsPath, { signal: AbortSignal.abort("too late") });
    await expect(sandbox.fetch(request)).rejects.toBe("too late");
    expect(sandbox.requests()).toEqual([]);
  });
});

describe("a rate limit", () => {
  it("answers 429 in the documented envelope, and says when to come back", async () => {
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

  it("holds for a second of real time, whatever the sandbox's clock does", async () => {
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

  it("uses up no fault, and ends when it is taken back", async () => {
    const sandbox = createSandbox();
    sandbox.faults.rateLimit({ requestsPerSecond: 0 });
    sandbox.faults.next("GET /payments", broken);
    expect((await send(sandbox, paymentsPath)).status).toBe(429);
    sandbox.faults.rateLimit(null);
    expect((await send(sandbox, paymentsPath)).status).toBe(503);
  });

  it("and faults leave preflights alone: they are for calls", async () => {
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

describe("the record of requests", () => {
  it("has those that met a fault, with the status they were answered", async () => {
    const sandbox = createSandbox();
    sandbox.faults.next("GET /payments", broken);
    sandbox.faults.reset("GET /payments", { when: "after" });
    sandbox.faults.reset("GET /payments", { when: "mid-answer" });
    sandbox.faults.truncate("GET /payments");
    for (let index = 0; index < 5; index++) await send(sandbox, paymentsPath).catch(() => {});
    sandbox.faults.rateLimit({ requestsPerSecond: 0 });
    await send(sandbox, paymentsPath);
    expect(sandbox.requests().map(({ status }) => status)).toEqual([503, null, 200, 200, 200, 429]);
  });

  it("has a request as soon as it came, before it is answered", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const sandbox = createSandbox();
    sandbox.faults.latency("POST /withdrawals", 800, { when: "before" });
    const answer = withdraw(sandbox);
    await new Promise(setImmediate);
    const [pending] = sandbox.requests();
    expect(pending).toMatchObject({ path: withdrawalsPath, status: null });
    await vi.advanceTimersByTimeAsync(800);
    await answer;
    const answered = { outcome: "answered", status: 201, answer: expect.any(Object) };
    expect(sandbox.requests()).toEqual([{ ...pending, ...answered }]);
  });
});
