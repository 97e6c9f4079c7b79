import { describe, expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { scriptedService } from "../scripted-service.ts";

const clientOf = ({ url }: { url: string }) =>
  new MerchantClient({ secretKey: "sk_test_1", environment: "sandbox", baseUrl: `${url}/base` });

const nowhere = { url: "http://127.0.0.1:2" };

describe("client.request", () => {
  test("sends any request with the client's credential and returns the body unchanged", async () => {
    using server = scriptedService({ body: [1, 2] });
    const request = {
      method: "GET",
      path: "/v1/new-things",
      query: { limit: 1, test: true, status: undefined },
    } as const;
    expect(await clientOf(server).request<number[]>(request)).toEqual([1, 2]);
    expect(server.requests[0]).toMatchObject({
      url: "/base/v1/new-things?limit=1&test=true",
      headers: { "x-service-secret-key": "sk_test_1" },
    });
  });

  test("sends a body as JSON with an idempotency key", async () => {
    using server = scriptedService({ status: 201, body: {} });
    const request = { method: "POST", path: "/v1/new-things", body: { a: 1 } } as const;
    await clientOf(server).request(request, { idempotencyKey: "key-1" });
    expect(server.requests[0]).toMatchObject({
      body: '{"a":1}',
      headers: { "idempotency-key": "key-1", "content-type": "application/json" },
    });
  });

  test("retries a safe POST with its idempotency key", async () => {
    using server = scriptedService({ status: 500 });
    const request = { method: "POST", path: "/v1/new-things", safe: true } as const;
    const options = { idempotencyKey: "key-1", maxRetries: 1, deadlineMs: 5000 };
    await expect(clientOf(server).request(request, options)).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      attempts: 2,
      idempotencyKey: "key-1",
    });
    const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual(["key-1", "key-1"]);
  });

  test("refuses an idempotency key for a GET, because it would not be sent", async () => {
    const options = { idempotencyKey: "key-1" };
    const call = clientOf(nowhere).request({ method: "GET", path: "/a" }, options);
    await expect(call).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "idempotencyKey",
    });
  });

  test("refuses options that are null, as every call does", async () => {
    const call = clientOf(nowhere).request({ method: "GET", path: "/a" }, null as never);
    await expect(call).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(/^The options must be an object, such as { idempotencyKey }/),
    });
  });

  test("does not retry a POST just because withdrawals may be retried", async () => {
    using server = scriptedService({ status: 500 });
    const client = new MerchantClient({
      secretKey: "sk_test_1",
      environment: "sandbox",
      baseUrl: server.url,
      wire: { withdrawalIdempotency: "honoured" },
    });
    const call = client.request({ method: "POST", path: "/v1/refunds", body: {} });
    await expect(call).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
  });

  test("returns a success that is not JSON as text", async () => {
    using server = scriptedService({ body: "OK", headers: { "content-type": "text/plain" } });
    expect(await clientOf(server).request({ method: "POST", path: "/v1/ping", body: {} })).toBe(
      "OK",
    );
  });

  test.each([
    ["an HTML page", "text/html; charset=utf-8", "<html><title>Login</title></html>"],
    ["truncated JSON", "application/json", '{"data": [{"id": "1'],
    ["truncated JSON of a type in capitals", "APPLICATION/JSON", '{"data": [{"id": "1'],
    ["a truncated problem document", "application/problem+json", '{"detail'],
  ])("does not accept %s as a success", async (_, type, body) => {
    using server = scriptedService({ body, headers: { "content-type": type } });
    const client = clientOf(server);
    const get = client.request({ method: "GET", path: "/a" }, { maxRetries: 0 });
    await expect(get).rejects.toMatchObject({
      name: "UnexpectedResponseError",
      code: "unreadable_response",
      body,
    });
    const post = client.request({ method: "POST", path: "/a" });
    await expect(post).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      attempts: 1,
      cause: { code: "unreadable_response" },
    });
  });

  test("returns undefined for an empty success", async () => {
    using server = scriptedService({ status: 204, body: "" });
    expect(await clientOf(server).request({ method: "GET", path: "/v1/nothing" })).toBeUndefined();
  });

  test("sends the credential in auth in place of the client's", async () => {
    using server = scriptedService({});
    const client = clientOf(server);
    await client.request({ method: "GET", path: "/a", auth: { paymentSecret: "ps_1" } });
    await client.request({ method: "GET", path: "/b", auth: { accessToken: "token" } });
    const [first, second] = server.requests;
    expect(first?.headers).toMatchObject({ "x-service-payment-secret": "ps_1" });
    expect(second?.headers).toMatchObject({ authorization: "Bearer token" });
    expect(first?.headers).not.toHaveProperty("x-service-secret-key");
    expect(second?.headers).not.toHaveProperty("x-service-secret-key");
  });

  test("retries a GET after a failure, but not a POST", async () => {
    using server = scriptedService({ status: 500 });
    const client = clientOf(server);
    const get = client.request({ method: "GET", path: "/a" }, { maxRetries: 1, deadlineMs: 5000 });
    await expect(get).rejects.toMatchObject({ name: "ServerError", attempts: 2 });
    const post = client.request({ method: "POST", path: "/a", body: {} });
    await expect(post).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
  });

  test.each(["PUT", "PATCH", "DELETE"] as const)(
    "retries a %s only if it is marked as safe",
    async (method) => {
      using server = scriptedService({ status: 500 });
      const client = clientOf(server);
      const options = { maxRetries: 1, deadlineMs: 5000 };
      await expect(client.request({ method, path: "/a" }, options)).rejects.toMatchObject({
        name: "OutcomeUnknownError",
        attempts: 1,
      });
      const safe = client.request({ method, path: "/a", body: { a: 1 }, safe: true }, options);
      await expect(safe).rejects.toMatchObject({ name: "ServerError", attempts: 2 });
      expect(server.requests.at(-1)).toMatchObject({ method, body: '{"a":1}' });
    },
  );

  const both = { paymentSecret: "ps_secret_of_a_payment", accessToken: "token" };
  test.each(["secretKey", "ps_secret_of_a_payment", null, {}, both])(
    "refuses %j as auth before sending",
    async (auth) => {
      using server = scriptedService();
      const request = { method: "GET", path: "/a", auth } as never;
      await expect(clientOf(server).request(request)).rejects.toThrow(
        /^auth must be "none", { paymentSecret } or { accessToken }\. Leave it out/,
      );
      expect(server.requests).toEqual([]);
    },
  );

  test("rejects a malformed credential", async () => {
    const request = { method: "GET", path: "/a", auth: { paymentSecret: "" } } as const;
    await expect(clientOf(nowhere).request(request)).rejects.toMatchObject({ param: "secret" });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  test.each<[string, unknown]>([
    ["a FormData", new FormData()],
    ["a URLSearchParams", new URLSearchParams("a=1")],
    ["a Map", new Map([["a", 1]])],
    ["a Date", new Date(0)],
    ["text", "a"],
    ["empty text", ""],
    ["a cycle", cycle],
    ["a bigint", { amount: 1n }],
    ["an object whose toJSON returns undefined", { toJSON: () => undefined }],
  ])("refuses %s as a body", async (_, body) => {
    const request = { method: "POST", path: "/a", body: body as object } as const;
    await expect(clientOf(nowhere).request(request)).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "body",
    });
  });

  test.each<[string, unknown]>([
    ["a query with an object", { filter: { status: "paid" } }],
    ["a query with a list", { status: ["paid"] }],
    ["a query with null", { status: null }],
    ["a query with NaN", { limit: Number.NaN }],
    ["a URLSearchParams as the query", new URLSearchParams("a=1")],
    ["text as the query", "a=1"],
  ])("refuses %s", async (_, query) => {
    const request = { method: "GET", path: "/a", query: query as object } as const;
    await expect(clientOf(nowhere).request(request as never)).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "query",
    });
  });

  test('sends no credential if auth is "none"', async () => {
    using server = scriptedService({});
    await clientOf(server).request({ method: "GET", path: "/a", auth: "none" });
    const names = Object.keys(server.requests[0]?.headers ?? {});
    expect(names).not.toContain("authorization");
    expect(names.filter((name) => name.startsWith("x-service"))).toEqual([]);
  });

  test.each([
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "\\\\evil.example",
    "@evil.example/",
    ".evil.example/",
    "/../admin",
    "/a/../../admin",
    "/a/%2e%2e/admin",
    "/a/..%2Fadmin",
    "/a/%2e%2e%5cadmin",
    "/a%2f..",
    "/a?b=1",
    "/a#b",
    "/{paymentId}",
    "/a b",
    "/a\nb",
    "",
    "relative",
  ])("refuses the path %j", async (path) => {
    using server = scriptedService({});
    await expect(clientOf(server).request({ method: "GET", path })).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "path",
    });
    expect(server.requests).toHaveLength(0);
  });

  test("refuses an unknown method", async () => {
    const request = { method: "TRACE" as "GET", path: "/a" };
    const call = clientOf(nowhere).request(request);
    await expect(call).rejects.toMatchObject({ param: "method" });
  });
});
