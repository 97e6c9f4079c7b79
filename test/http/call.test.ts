// Longer than 300 lines: the rules of one call are tested in one place.

import { describe, expect, test } from "vitest";
import { OutcomeUnknownError, ServerError, UnexpectedResponseError } from "../../src/errors.ts";
import { createPayment, createWithdrawal, getPayment } from "../../src/wire/operations.ts";
import { reset, scriptedServer, truncated } from "../scripted-server.ts";
import { scriptedService } from "../scripted-service.ts";
import { createdPayment, payment } from "../wire/examples.ts";
import { FakeTime } from "./fake-time.ts";
import { httpTo, secretKey } from "./http-to.ts";

const order = { body: { type: "payment", amount: 2500, currency: "USD", orderId: "order_1" } };
const read = { path: { paymentId: payment.id } };
const created = { status: 201, body: createdPayment };
const conflict = {
  status: 409,
  body: { error: { code: "idempotency_conflict", message: "Busy" } },
};

describe("a request", () => {
  test("carries the credential, the idempotency key, the body and a user agent", async () => {
    using server = scriptedService(created);
    await httpTo(server).call(createPayment, order, { idempotencyKey: "key-1" });
    expect(server.requests).toMatchObject([
      {
        method: "POST",
        url: "/v1/external/secretkey-auth/payments",
        headers: {
          "x-service-secret-key": secretKey,
          "idempotency-key": "key-1",
          "content-type": "application/json",
          accept: "application/json",
          "user-agent": expect.stringMatching(/^settlekit\/\d+\.\d+\.\d+ node\/\d+/),
        },
        body: JSON.stringify(order.body),
      },
    ]);
  });

  test("keeps the base URL's path and adds the client's and the call's headers", async () => {
    using server = scriptedService({ body: payment });
    const http = httpTo({ url: `${server.url}/gateway/` }, { headers: { "X-Shop": "1" } });
    // Its name begins and ends like those of connection headers.
    await http.call(getPayment, read, { headers: { "X-Trace": "2", "Tenant-Host": "3" } });
    expect(server.requests[0]).toMatchObject({
      url: `/gateway/v1/external/secretkey-auth/payments/${payment.id}`,
      headers: { "x-shop": "1", "x-trace": "2", "tenant-host": "3" },
    });
  });

  test("uses the configured header prefix", async () => {
    using server = scriptedService({ body: payment });
    await httpTo(server, { wire: { headerPrefix: "X-Acme" } }).call(getPayment, read);
    expect(server.requests[0]?.headers).toMatchObject({ "x-acme-secret-key": secretKey });
  });

  test("is sent with fetch(url, init), which gets no receiver", async () => {
    const calls: unknown[][] = [];
    const fetch = function (this: unknown, ...parameters: unknown[]) {
      calls.push([this, ...parameters]);
      return Promise.resolve(Response.json(payment));
    };
    const dispatcher = {};
    const http = httpTo({ url: "https://api.example" }, { fetch, fetchOptions: { dispatcher } });
    await http.call(getPayment, read);
    expect(calls).toHaveLength(1);
    const [receiver, url, init] = calls[0] ?? [];
    expect(receiver).toBeUndefined();
    expect(url).toBe(`https://api.example/v1/external/secretkey-auth/payments/${payment.id}`);
    expect(init).toMatchObject({ method: "GET", redirect: "manual", dispatcher });
  });
});

describe("a response", () => {
  test("comes with its status, headers, request id, idempotency key and attempts", async () => {
    const headers = { "x-request-id": "req_7" };
    using server = scriptedService({ status: 503 }, { ...created, headers });
    const call = httpTo(server).call(createPayment, order, { idempotencyKey: "key-1" });
    const response = await call.withResponse();
    expect(response).toMatchObject({
      data: createdPayment,
      status: 201,
      requestId: "req_7",
      idempotencyKey: "key-1",
      attempts: 2,
    });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await call).toBe(response.data);
  });

  test("that does not match its schema is returned unchanged and reported as drift", async () => {
    const odd = { ...payment, status: 7, surprise: { deep: true } };
    using server = scriptedService({ body: odd });
    const events: object[] = [];
    const http = httpTo(server, { onEvent: (event) => events.push(event) });
    expect(await http.call(getPayment, read)).toEqual(odd);
    expect(events).toContainEqual(expect.objectContaining({ type: "drift", paths: ["status"] }));
  });

  test.each([
    ["without", undefined],
    ["with nothing in", ""],
  ])("%s an essential field causes an error that holds the whole body", async (_, secret) => {
    const body = JSON.parse(JSON.stringify({ ...createdPayment, secret }));
    using server = scriptedService({ status: 201, body });
    const error = await httpTo(server)
      .call(createPayment, order)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ outcome: "unknown", body, attempts: 1 });
    expect(error.message).toContain("without secret");
    expect(error.message).toContain(
      `Repeat the same call with idempotencyKey "${error.idempotencyKey}"`,
    );
    expect(server.requests).toHaveLength(1);
  });

  test("to a read that lacks the id does not claim that anything took effect", async () => {
    using server = scriptedService({ body: {} });
    const error = await httpTo(server)
      .call(getPayment, read)
      .catch((thrown) => thrown);
    expect(error.message).toMatch(
      /^The service responded to payments.get with 200, but without id\./,
    );
    expect(error.message).not.toContain("effect");
  });

  test.each([
    [403, "PermissionError"],
    [401, "AuthenticationError"],
    [400, "InvalidRequestError"],
    [405, "ApiError"],
  ])(
    "with %i from a proxy causes an error that says to check baseUrl and proxies",
    async (status, name) => {
      using server = scriptedService({ status, body: "<html><title>Forbidden</title></html>" });
      const error = await httpTo(server)
        .call(getPayment, read)
        .catch((thrown) => thrown);
      expect(error).toMatchObject({ name, outcome: "unknown" });
      expect(error.message).toMatch(/check baseUrl, and any proxy between here and the service\.$/);
    },
  );
});

test.each([405, 413, 415])(
  "an error with %i, which has no class of its own, says what to check",
  async (status) => {
    using server = scriptedService({ status, body: { code: "refused", message: "No" } });
    const error = await httpTo(server)
      .call(getPayment, read)
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "ApiError", status, outcome: "rejected" });
    expect(error.message).toMatch(
      /^No\. \[\d+, refused\] Check the request, baseUrl and any proxy /,
    );
  },
);

test("each call without an idempotency key gets a new one", async () => {
  using server = scriptedService(created);
  const http = httpTo(server);
  await Promise.all([http.call(createPayment, order), http.call(createPayment, order)]);
  const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(2);
});

describe("a retried creation", () => {
  test("keeps its idempotency key and its bytes on every attempt", async () => {
    await using server = await scriptedServer({ status: 500 }, reset, truncated, created);
    await httpTo(server).call(createPayment, order);
    expect(server.requests).toHaveLength(4);
    const sent = server.requests.map(({ headers, body }) => [headers["idempotency-key"], body]);
    expect(new Set(sent.map(String)).size).toBe(1);
    expect(sent[0]?.[0]).toMatch(/^[0-9a-f-]{36}$/);
    const counts = server.requests.map(({ headers }) => headers["x-settlekit-retry-count"]);
    expect(counts).toEqual(["0", "1", "2", "3"]);
  });

  test("waits longer each time, with jitter", async () => {
    using server = scriptedService({ status: 503 }, { status: 503 }, { status: 503 }, created);
    const time = new FakeTime();
    await httpTo(server, {}, time).call(createPayment, order);
    expect(time.waits).toEqual([250, 500, 1000]);
  });

  test("waits as long as the Retry-After of a 503 says", async () => {
    using server = scriptedService({ status: 503, headers: { "retry-after": "7" } }, created);
    const time = new FakeTime();
    await httpTo(server, {}, time).call(createPayment, order);
    expect(time.waits).toEqual([7000]);
  });

  test("waits out a conflict with its own first attempt", async () => {
    await using server = await scriptedServer(reset, conflict, created);
    expect(await httpTo(server).call(createPayment, order)).toEqual(createdPayment);
  });

  test("rejects at once when its first attempt conflicts", async () => {
    using server = scriptedService(conflict, created);
    await expect(httpTo(server).call(createPayment, order)).rejects.toMatchObject({
      name: "IdempotencyConflictError",
      outcome: "rejected",
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe("maxRetries", () => {
  test.each([
    ["a server error", { status: 500 }],
    ["a rate limit", { status: 429, headers: { "retry-after": "0" } }],
    ["a reset", reset],
    ["a truncated body", truncated],
  ])("of 0 sends exactly one request after %s", async (_, answer) => {
    await using server = await scriptedServer(answer, created);
    await expect(httpTo(server, { maxRetries: 0 }).call(createPayment, order)).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });

  test("limits retries, and a call can set its own", async () => {
    using server = scriptedService({ status: 500 });
    const call = httpTo(server).call(getPayment, read, { maxRetries: 1 });
    await expect(call).rejects.toBeInstanceOf(ServerError);
    expect(server.requests).toHaveLength(2);
  });

  test("does not count retries after a 429", async () => {
    const limited = { status: 429, headers: { "retry-after": "1" } };
    using server = scriptedService(...Array(6).fill(limited), { status: 503 }, created);
    await httpTo(server, { maxRetries: 1 }).call(createPayment, order);
    expect(server.requests).toHaveLength(8);
  });
});

describe("an outcome that is unknown after an attempt", () => {
  const later = [
    [
      "429s until the deadline",
      { status: 429, headers: { "retry-after": "100" } },
      "RateLimitError",
    ],
    [
      "a 400",
      { status: 400, body: { error: { code: "invalid_amount", param: "amount" } } },
      "InvalidRequestError",
    ],
    ["a 401", { status: 401 }, "AuthenticationError"],
    [
      "a redirect",
      { status: 302, headers: { location: "https://elsewhere.example/" } },
      "ConfigurationError",
    ],
  ] as const;

  test.each(later)("stays unknown after %s", async (_, answer, cause) => {
    using server = scriptedService({ status: 503 }, answer);
    const call = httpTo(server).call(createPayment, order, { idempotencyKey: "key-1" });
    const error = await call.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ outcome: "unknown", idempotencyKey: "key-1", attempts: 2 });
    expect(error.message).toContain('idempotencyKey "key-1" within 24 hours');
    expect(error.cause).toMatchObject({ name: cause });
  });

  test("stays unknown when the service can no longer be reached", async () => {
    const server = await scriptedServer((response) => {
      response.writeHead(503, { connection: "close" }).end();
    });
    const time = new FakeTime();
    const sleep = time.sleep;
    const closing = {
      ...time,
      sleep: async (ms: number) => {
        await server[Symbol.asyncDispose]();
        await sleep(ms);
      },
    };
    const error = await httpTo(server, {}, closing)
      .call(createPayment, order)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.cause).toMatchObject({ name: "ConnectionError", code: "ECONNREFUSED" });
  });

  test("does not matter to a read, which rejects with its last failure", async () => {
    const absent = { error: { code: "not_found", message: "No such payment" } };
    using server = scriptedService({ status: 503 }, { status: 404, body: absent });
    await expect(httpTo(server).call(getPayment, read)).rejects.toMatchObject({
      name: "NotFoundError",
      outcome: "rejected",
    });
  });
});

test("a call to an unreachable service is retried, and nothing was sent", async () => {
  const server = await scriptedServer({});
  await server[Symbol.asyncDispose]();
  const time = new FakeTime();
  await expect(httpTo(server, {}, time).call(createPayment, order)).rejects.toMatchObject({
    name: "ConnectionError",
    code: "ECONNREFUSED",
    outcome: "not_sent",
    attempts: 4,
  });
  expect(time.waits).toHaveLength(3);
});

test.each([
  ["text", "gateway hiccup"],
  ["HTML", "<html><title>Login</title></html>"],
  ["a list", []],
  ["null", "null"],
  ["empty", ""],
])("a success whose body is %s is unreadable and retried", async (_, body) => {
  using server = scriptedService({ body }, created, { body });
  expect(await httpTo(server).call(createPayment, order)).toEqual(createdPayment);
  const error = await httpTo(server, { maxRetries: 0 })
    .call(getPayment, read)
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UnexpectedResponseError);
  expect(error.body).toBe(typeof body === "string" ? body : JSON.stringify(body));
});

test("a fetch function that follows a redirect leaves the outcome unknown, whatever it led to", async () => {
  // As browsers do, the function sent a GET to the new address, which knows no such page.
  await using elsewhere = await scriptedServer({
    status: 404,
    body: { error: { type: "invalid_request_error", code: "not_found", message: "No." } },
  });
  await using server = await scriptedServer({ status: 302, headers: { location: elsewhere.url } });
  const following = (url: string, init: RequestInit) => fetch(url, { ...init, redirect: "follow" });
  const http = httpTo(server, { fetch: following });
  await expect(http.call(createWithdrawal, { body: { amount: 2500 } })).rejects.toMatchObject({
    name: "OutcomeUnknownError",
    cause: { code: "fetch_failed", message: expect.stringContaining("followed a redirect to") },
  });
});

test("a creation is not repeated once its key may have been forgotten, however late the deadline", async () => {
  const dayMs = 86_400_000;
  const unavailable = { status: 503, headers: { "retry-after": String(dayMs / 1000) } };
  using server = scriptedService(unavailable, created);
  const call = httpTo(server).call(createPayment, order, { deadlineMs: 3 * dayMs });
  await expect(call).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
  expect(await httpTo(server).call(createPayment, order)).toEqual(createdPayment);
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])(
    "with %i is not followed, and the error names its origin",
    async (status) => {
      using elsewhere = scriptedService(created);
      using server = scriptedService({
        status,
        headers: { location: `${elsewhere.url}/v1/external/secretkey-auth/payments` },
      });
      const error = await httpTo(server)
        .call(getPayment, read)
        .catch((thrown) => thrown);
      expect(error).toMatchObject({
        name: "ConfigurationError",
        code: "redirected",
        param: "baseUrl",
      });
      expect(error.message).toContain(elsewhere.url);
      expect(elsewhere.requests).toHaveLength(0);
    },
  );

  test("without a Location is reported as such", async () => {
    await using server = await scriptedServer({ status: 304 });
    const call = httpTo(server).call(getPayment, read);
    await expect(call).rejects.toThrow(/ responded with 304 without a usable Location\. /);
  });
});

test.each<[string, object]>([
  ["a redirect", { status: 302, headers: { location: "https://elsewhere.test/" } }],
  ["another server's 404", { status: 404, body: "<h1>Not found</h1>" }],
  ["another server's page", { status: 200, body: "<h1>Welcome</h1>" }],
])(
  "a creation answered with %s says to check baseUrl, as a repetition ends the same way",
  async (_, answer) => {
    using server = scriptedService(answer);
    const cure =
      "Check that baseUrl is the service's and that no proxy responds in its place. Repeat";
    const call = httpTo(server).call(createPayment, order, { maxRetries: 0 });
    const message = expect.stringContaining(cure);
    await expect(call).rejects.toMatchObject({ name: "OutcomeUnknownError", message });
  },
);

test("a creation answered with a gateway's error page does not blame baseUrl", async () => {
  using server = scriptedService({ status: 502, body: "<h1>Bad Gateway</h1>" });
  const call = httpTo(server).call(createPayment, order, { maxRetries: 0 });
  await expect(call).rejects.toThrow(/^Outcome unknown: (?!.*baseUrl)/);
});
