import { describe, expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { scriptedService } from "../scripted-service.ts";

const clientOf = ({ url }: { url: string }) =>
  new MerchantClient({ secretKey: "sk_test_1", environment: "sandbox", baseUrl: `${url}/base` });

const nowhere = { url: "http://127.0.0.1:2" };

describe("client.request", () => {
  test("sends any request with the client's credential and gives what came", async () => {
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

  test("repeats a POST that is safe with its key, and sends the key each time", async () => {
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

  test("refuses a key for a GET, which would not be sent", async () => {
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

  test("does not repeat a POST because withdrawals may be repeated", async () => {
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

  test("gives a success that is no JSON as text", async () => {
    using server = scriptedService({ body: "OK", headers: { "content-type": "text/plain" } });
    expect(await clientOf(server).request({ method: "POST", path: "/v1/ping", body: {} })).toBe(
      "OK",
    );
  });

  test.each([
    ["a page", "text/html; charset=utf-8", "<html><title>Login</title></html>"],
    ["a part of JSON", "application/json", '{"data": [{"id": "1'],
    ["a part of a problem", "application/problem+json", '{"detail'],
  ])("takes %s for no success", async (_, type, body) => {
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

  test("takes an empty success for undefined", async () => {
    using server = scriptedService({ status: 204, body: "" });
    expect(await clientOf(server).request({ method: "GET", path: "/v1/nothing" })).toBeUndefined();
  });

  test("uses another credential when told to, and no other with it", async () => {
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

  test("repeats a GET after a failure, but not a POST", async () => {
    using server = scriptedService({ status: 500 });
    const client = clientOf(server);
    const get = client.request({ method: "GET", path: "/a" }, { maxRetries: 1, deadlineMs: 5000 });
    await expect(get).rejects.toMatchObject({ name: "ServerError", attempts: 2 });
    const post = client.request({ method: "POST", path: "/a", body: {} });
    await expect(post).rejects.toMatchObject({ name: "OutcomeUnknownError", attempts: 1 });
  });

  test.each(["PUT", "PATCH", "DELETE"] as const)(
    "repeats a %s only when it is said to be safe",
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
    "refuses %j as auth, unseen",
    async (auth) => {
      using server = scriptedService();
      const request = { method: "GET", path: "/a", auth } as never;
      await expect(clientOf(server).request(request)).rejects.toThrow(
        /^auth must be "none", { paymentSecret } or { accessToken }\. Leave it out/,
      );
      expect(server.requests).toEqual([]);
    },
  );

  test("rejects for a credential that cannot be one", async () => {
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
    ["what says that it is nothing", { toJSON: () => undefined }],
  ])("refuses %s as a body", async (_, body) => {
    const request = { method: "POST", path: "/a", body: body as object } as const;
    await expect(clientOf(nowhere).request(request)).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "body",
    });
  });

  test.each<[string, unknown]>([
    ["an object in it", { filter: { status: "paid" } }],
    ["a list in it", { status: ["paid"] }],
    ["null in it", { status: null }],
    ["a number that is none", { limit: Number.NaN }],
    ["a URLSearchParams", new URLSearchParams("a=1")],
    ["text", "a=1"],
  ])("refuses a query with or of %s", async (_, query) => {
    const request = { method: "GET", path: "/a", query: query as object } as const;
    await expect(clientOf(nowhere).request(request as never)).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "query",
    });
  });

  test("sends no credential when told so", async () => {
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

  test("refuses a method that it does not know", async () => {
    const request = { method: "TRACE" as "GET", path: "/a" };
    const call = clientOf(nowhere).request(request);
    await expect(call).rejects.toMatchObject({ param: "method" });
  });
});
