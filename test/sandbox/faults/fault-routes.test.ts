import { createSandbox, type Fault, type FaultRoute, type RateLimit } from "settlekit/sandbox";
import { describe, expect, expectTypeOf, it } from "vitest";
import { operationTable } from "../../../src/wire/operations.ts";
import { origin, paymentsPath, send } from "../merchant.ts";

const broken: Fault = { status: 503, when: "before" };

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
  ])("%s matches %j", async (route, expected) => {
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

  it("completes the route of every operation", () => {
    const known = [
      "*",
      "GET /chains",
      "GET /chains/{chainId}",
      "GET /payments",
      "GET /payments/{paymentId}",
      "GET /payments/{paymentId}/quotes",
      "GET /payments/{paymentId}/status",
      "GET /tokens",
      "GET /tokens/{tokenId}",
      "GET /wallet/balances",
      "GET /withdrawals",
      "GET /withdrawals/config",
      "GET /withdrawals/{withdrawalId}",
      "POST /payments",
      "POST /payments/{paymentId}/quotes",
      "POST /payments/{paymentId}/refresh-status",
      "POST /withdrawals",
    ] as const;
    // A literal makes a field that must be present, unlike the pattern that accepts other routes.
    type LiteralsOf<Text extends string> = Text extends string
      ? Record<never, 1> extends Record<Text, 1>
        ? never
        : Text
      : never;
    expectTypeOf<(typeof known)[number]>().toEqualTypeOf<LiteralsOf<FaultRoute>>();
    const routes = Object.values(operationTable).map(
      ({ method, path }) =>
        `${method} ${path.replace(/^.*(-auth|external|\{merchantId\})(?=\/)/, "")}`,
    );
    expect(known.slice(1)).toEqual([...new Set(routes)].sort());
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
  ])("is refused when no operation can match it: %j", (route) => {
    const { faults } = createSandbox();
    expect(() => faults.next(route as FaultRoute, broken)).toThrow(
      expect.objectContaining({
        name: "InvalidRequestError",
        code: "unknown_route",
        param: "route",
        message: expect.stringContaining(route || "an empty string"),
      }),
    );
  });

  it("is refused with the nearest route, or all of them", () => {
    const { faults } = createSandbox();
    expect(() => faults.next("GET /payment", broken)).toThrow("Did you mean GET /payments?");
    expect(() => faults.next("nowhere" as FaultRoute, broken)).toThrow(
      /one of: \*, .*POST \/withdrawals/,
    );
  });
});

describe("an invalid fault", () => {
  it.each([
    ["status", { status: 199, when: "before" }],
    ["status", { status: 600, when: "before" }],
    ["status", { status: 500.5, when: "before" }],
    ["when", { status: 500 }],
    ["retryAfter", { status: 500, when: "before", retryAfter: "1\r\nX-Evil: 1" }],
    ["retryAfter", { status: 500, when: "before", retryAfter: Number.NaN }],
    ["retryAfter", { status: 500, when: "before", retryAfter: null }],
    ["retryAfter", { status: 500, when: "before", retryAfter: new Date(0) }],
    ["body", { status: 500, when: "before", body: { amount: 1n } }],
    ["when", { status: 500, when: "mid-answer" }],
    ["latencyMs", { latencyMs: -1, when: "before" }],
    ["latencyMs", { latencyMs: 2 ** 31, when: "before" }],
    ["latencyMs", { status: 503, when: "before", latencyMs: -1 }],
    ["when", { latencyMs: 1, when: "later" }],
    ["when", { connection: "reset" }],
    ["fault", { connection: "lost" }],
    ["fault", {}],
    ["fault", null],
  ])("is refused with %s as the param: %o", async (param, fault) => {
    const sandbox = createSandbox();
    expect(() => sandbox.faults.next("*", fault as unknown as Fault)).toThrow(
      expect.objectContaining({ name: "InvalidRequestError", code: "invalid_fault", param }),
    );
    expect((await send(sandbox, paymentsPath)).status).toBe(200);
  });

  it.each([
    [{ status: 99, when: "before" }, "status must be a whole number from 200 to 599, got 99."],
    [{ status: 503 }, "when must be before or after, got undefined."],
    [{ latencyMs: "3s", when: "before" }, 'up to 2147483647, got "3s".'],
    [503, "fault must be an object, got 503."],
  ])("is refused with its value in the message: %j", (fault, problem) => {
    expect(() => createSandbox().faults.next("*", fault as Fault)).toThrow(problem);
  });

  it.each([
    [{ stat: 503, when: "before" }, "Did you mean status?"],
    [{ latency: 800, when: "before" }, "Did you mean latencyMs?"],
    [{ status: 503, when: "before", retryafter: 3 }, "Did you mean retryAfter?"],
    [{ status: 503, when: "before", connection: "reset" }, "The options are: status, when, "],
    [{ latencyMs: 5, when: "before", retryAfter: 3 }, "The options are: latencyMs, when."],
    [{ connection: "reset", when: "before", body: "" }, "The options are: connection, when."],
    [{ connection: "truncated", when: "before" }, "The options are: connection."],
  ])("is refused with a field that its kind does not have: %j", (fault, cure) => {
    const { faults } = createSandbox();
    expect(() => faults.next("*", fault as Fault)).toThrow(
      expect.objectContaining({ code: "unknown_option", message: expect.stringContaining(cure) }),
    );
    expect(faults.waiting()).toEqual([]);
  });

  it("is refused with an unknown option, and the message lists every option, including when", () => {
    const { faults } = createSandbox();
    const message = 'There is no option "moment". The options are: when, probability, times.';
    const options = { moment: "after", when: "after" } as const;
    expect(() => faults.latency("*", 5, options)).toThrow(message);
    expect(() => faults.reset("*", options)).toThrow(message);
  });

  it.each([0, -1, 1.5, Number.NaN])("is refused with times set to %d", (times) => {
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
    ["limit", undefined],
    ["limit", 5],
    ["requestsPerSecond", { requestsPerSecond: 0.5 }],
    ["retryAfterSeconds", { requestsPerSecond: 1, retryAfterSeconds: -1 }],
  ])("is refused as a rate limit with %s as the param", (param, limit) => {
    expect(() => createSandbox().faults.rateLimit(limit as RateLimit)).toThrow(
      expect.objectContaining({ code: "invalid_fault", param }),
    );
  });
});
