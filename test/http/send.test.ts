import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { createPayment, createWithdrawal, getPayment } from "../../src/wire/operations.ts";
import { reset, scriptedServer } from "../scripted-server.ts";
import { scriptedService } from "../scripted-service.ts";
import { createdPayment, payment } from "../wire/examples.ts";
import { httpTo } from "./http-to.ts";

const order = { body: { type: "payment", amount: 2500, currency: "USD", orderId: "order_1" } };
const read = { path: { paymentId: payment.id } };
const api = { url: "https://api.example" };
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe("a request", () => {
  test("is never answered from a cache", async () => {
    const inits: RequestInit[] = [];
    const fetch = (_: string, init: RequestInit) => {
      inits.push(init);
      return Promise.resolve(Response.json(payment));
    };
    await httpTo(api, { fetch, fetchOptions: { keepalive: true } }).call(getPayment, read);
    expect(inits).toMatchObject([
      { keepalive: true, cache: "no-store", headers: { "cache-control": "no-store" } },
    ]);
  });

  test("that is aborted at any moment is correctly reported as sent or not sent", async () => {
    const seen = new Set<boolean>();
    for (let turns = 0; turns < 60; turns++) {
      const controller = new AbortController();
      const fetch = vi.fn(() => new Promise<Response>(() => {}));
      const http = httpTo(api, { fetch });
      const call = failure(http.call(createPayment, order, { signal: controller.signal }));
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const hadLeft = fetch.mock.calls.length === 1;
      controller.abort();
      const facts = hadLeft
        ? { outcome: "unknown", attempts: 1 }
        : { outcome: "not_sent", attempts: 0 };
      expect(await call).toMatchObject({ name: "AbortError", ...facts });
      expect(fetch).toHaveBeenCalledTimes(hadLeft ? 1 : 0);
      seen.add(hadLeft);
    }
    expect([...seen].sort()).toEqual([false, true]);
  });

  test("encodes ids and query parameters", async () => {
    using server = scriptedService({ body: { data: [], pagination: {} } });
    const http = httpTo({ url: `${server.url}/gateway` });
    await http.call(getPayment, { path: { paymentId: "a/b?c d%" } }).catch(() => {});
    const listing = { ...getPayment, path: "/v1/list", essential: "anything" } as const;
    await http.call(listing, { query: { q: "a&b", limit: 5, none: undefined } });
    expect(server.requests.map(({ url }) => url)).toEqual([
      "/gateway/v1/external/secretkey-auth/payments/a%2Fb%3Fc%20d%25",
      "/gateway/v1/list?q=a%26b&limit=5",
    ]);
  });
});

describe("a response larger than maxResponseBytes", () => {
  const large = JSON.stringify({ ...payment, note: "x".repeat(5_000) });
  const answers: [string, () => Response][] = [
    ["in one piece", () => new Response(large)],
    ["with a Content-Length", () => new Response(large, { headers: { "content-length": "9000" } })],
  ];

  test.each(answers)("%s is abandoned and not retried", async (_, answer) => {
    const fetch = vi.fn(async () => answer());
    const error = await failure(
      httpTo(api, { fetch, maxResponseBytes: 4_000 }).call(getPayment, read),
    );
    expect(error).toMatchObject({
      name: "UnexpectedResponseError",
      code: "response_too_large",
      status: 200,
      attempts: 1,
    });
    expect(error.message).toContain("Raise maxResponseBytes");
    expect(fetch).toHaveBeenCalledOnce();
  });

  test("is read no further than the limit", async () => {
    let pieces = 0;
    // Ends after 1,000 pieces, so that code without a limit fails the test instead of filling the memory.
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(" ".repeat(600)));
        if (++pieces === 1_000) controller.close();
      },
    });
    const fetch = async () => new Response(body);
    const call = httpTo(api, { fetch, maxResponseBytes: 4_000 }).call(getPayment, read);
    expect(await failure(call)).toMatchObject({ code: "response_too_large" });
    expect(pieces).toBeLessThan(20);
  });

  test.each([
    ["from a service", {}],
    ["from a service that compresses", { "content-encoding": "gzip" }],
  ])("over a socket %s is abandoned", async (_, headers) => {
    await using server = await scriptedServer((response) => {
      const body = "content-encoding" in headers ? gzipSync(large) : large;
      response.writeHead(200, { ...headers, "content-length": body.length }).end(body);
    });
    const call = httpTo(server, { maxResponseBytes: 4_000 }).call(getPayment, read);
    expect(await failure(call)).toMatchObject({ code: "response_too_large" });
  });

  test.each([
    ["payment", createPayment, /idempotencyKey "key-1" within 24 hours/],
    ["withdrawal", createWithdrawal, /Do not repeat it/],
  ] as const)("leaves the outcome of a new %s unknown", async (_, operation, cure) => {
    const fetch = async () => new Response(large, { status: 201 });
    const http = httpTo(api, { fetch, maxResponseBytes: 4_000 });
    const error = await failure(http.call<unknown>(operation, order, { idempotencyKey: "key-1" }));
    expect(error).toMatchObject({ name: "UnexpectedResponseError", outcome: "unknown" });
    expect(error.message).toMatch(cure);
  });

  test("does not hide the status of an error", async () => {
    const fetch = async () => new Response(large, { status: 404 });
    const error = await failure(
      httpTo(api, { fetch, maxResponseBytes: 4_000 }).call(getPayment, read),
    );
    expect(error).toMatchObject({ name: "NotFoundError", status: 404, outcome: "unknown" });
  });

  test("does not include one of exactly that size", async () => {
    const fetch = async () => new Response(large);
    const http = httpTo(api, { fetch, maxResponseBytes: large.length });
    expect(await http.call(getPayment, read)).toMatchObject({ id: payment.id });
  });
});

describe("a custom fetch that throws", () => {
  test.each<[string, unknown, string]>([
    [
      "a TypeError",
      new TypeError("agent.fetch is not a function"),
      "TypeError: agent.fetch is not a function",
    ],
    ["text", "no", '"no"'],
    ["nothing", undefined, "undefined"],
    [
      "Node's error for an argument",
      Object.assign(new TypeError("bad"), { code: "ERR_INVALID_ARG_TYPE" }),
      "TypeError: bad",
    ],
    ["its own timeout", new DOMException("late", "TimeoutError"), "TimeoutError: late"],
  ])("%s is reported and not called again", async (_, thrown, named) => {
    const fetch = vi.fn(() => Promise.reject(thrown));
    const reading = await failure(httpTo(api, { fetch }).call(getPayment, read));
    expect(reading).toMatchObject({
      name: "ConnectionError",
      code: "fetch_failed",
      param: "fetch",
    });
    expect(reading.message).toBe(
      `Your fetch function threw ${named}. The request may have been sent.`,
    );
    const creating = await failure(httpTo(api, { fetch }).call(createPayment, order));
    expect(creating).toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  test("an imitated response without text() is not called again, and the error says what to return", async () => {
    const given = { ok: true, status: 200, json: async () => payment };
    const fetch = vi.fn(async () => given as unknown as Response);
    await expect(httpTo(api, { fetch }).call(getPayment, read)).rejects.toMatchObject({
      code: "fetch_failed",
      message:
        "Your fetch function returned an object, which is not a Response. Tests can return Response.json({ ... }). " +
        "The request may have been sent.",
    });
    expect(fetch).toHaveBeenCalledOnce();
  });

  test.each<[string, unknown]>([
    ["the platform's", new TypeError("fetch failed")],
    ["another client's", Object.assign(new Error("socket hang up"), { code: "ECONNRESET" })],
  ])("a network failure like %s is retried", async (_, thrown) => {
    let calls = 0;
    const fetch = async () => {
      if (++calls === 1) throw thrown;
      return Response.json(createdPayment, { status: 201 });
    };
    expect(await httpTo(api, { fetch }).call(createPayment, order)).toEqual(createdPayment);
    expect(calls).toBe(2);
  });
});

test("failures that may come from a proxy leave the outcome of a withdrawal unknown", async () => {
  const page = "<html><title>Blocked</title></html>";
  for (const answer of [
    { status: 400, body: page },
    { status: 401, body: "" },
    { status: 403, body: { message: "Forbidden" } },
    { status: 404, body: page },
    { status: 408 },
    { status: 409, body: page },
    { status: 418 },
    { status: 499 },
    { status: 307, headers: { location: "https://elsewhere.example" } },
    reset,
  ]) {
    await using server = await scriptedServer(answer);
    const error = await failure(httpTo(server).call(createWithdrawal, order));
    expect(error).toMatchObject({ name: "OutcomeUnknownError", outcome: "unknown", attempts: 1 });
    expect(server.requests).toHaveLength(1);
  }
});

test.each<[string, object]>([
  [
    "documented",
    { error: { type: "invalid_request_error", code: "invalid_amount", message: "No" } },
  ],
  ["flat", { code: "invalid_amount", message: "No" }],
  ["framework's", { statusCode: 400, message: ["No"], error: "Bad Request" }],
])("an error in the %s form counts as the service's rejection", async (_, body) => {
  using server = scriptedService({ status: 400, body });
  const error = await failure(httpTo(server).call(createWithdrawal, order));
  expect(error).toMatchObject({ name: "InvalidRequestError", outcome: "rejected" });
});

test("the request id of an error may come from its body", async () => {
  const body = { error: { code: "not_found", message: "None", requestId: "req_body" } };
  using server = scriptedService({ status: 404, body });
  const error = await failure(httpTo(server).call(getPayment, read));
  expect(error).toMatchObject({ requestId: "req_body" });
});

test("a long request id is truncated", async () => {
  const headers = { "x-request-id": "r".repeat(12_000) };
  using server = scriptedService({ status: 404, headers });
  const error = await failure(httpTo(server).call(getPayment, read));
  expect(error.requestId).toBe("r".repeat(500));
  expect(error.message.length).toBeLessThan(800);
});

describe("a public operation", () => {
  test("is called without any credential, and without asking for one", async () => {
    using server = scriptedService({ body: payment });
    const secretKey = vi.fn(async () => "sk_test_1");
    const operation = { ...getPayment, credential: "none" } as const;
    expect(await httpTo(server, { secretKey }).call(operation, read)).toEqual(payment);
    expect(secretKey).not.toHaveBeenCalled();
    const names = Object.keys(server.requests[0]?.headers ?? {});
    expect(names.filter((name) => /secret|authorization|settlekit/.test(name))).toEqual([]);
  });
});

test.each(["PUT", "PATCH", "DELETE"] as const)(
  "a %s is sent with its body, and retried only if it is marked as safe",
  async (method) => {
    using server = scriptedService({ status: 503 });
    const operation = { ...createWithdrawal, method, essential: "anything" } as const;
    const error = await failure(httpTo(server).call(operation, order));
    expect(error).toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
    expect(server.requests).toMatchObject([{ method, body: JSON.stringify(order.body) }]);
    const safe = { ...operation, replay: "safe" } as const;
    expect(await failure(httpTo(server).call(safe, order))).toMatchObject({ attempts: 4 });
  },
);

test("a GET request with a body is refused", async () => {
  const error = await failure(httpTo(api).call(getPayment, { ...read, body: {} }));
  expect(error).toMatchObject({ name: "InvalidRequestError", param: "body", outcome: "not_sent" });
});
