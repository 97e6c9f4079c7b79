import { describe, expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { scriptedService } from "../scripted-service.ts";

const clientOf = ({ url }: { url: string }) =>
  new MerchantClient({ secretKey: "sk_test_1", environment: "sandbox", baseUrl: `${url}/base` });

describe("client.request", () => {
  test("sends any request with the client's credential and gives what came", async () => {
    using server = scriptedService({ body: [1, 2] });
    const request = {
      method: "GET",
      path: "/v1/new-things",
      query: { limit: 1, status: undefined },
    } as const;
    expect(await clientOf(server).request<number[]>(request)).toEqual([1, 2]);
    expect(server.requests[0]).toMatchObject({
      url: "/base/v1/new-things?limit=1",
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
    using server = scriptedService({ body: "OK" });
    expect(await clientOf(server).request({ method: "POST", path: "/v1/ping", body: {} })).toBe(
      "OK",
    );
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

  test.each(["secretKey", "ps_secret_of_a_payment", null])("refuses %j as auth, unseen", (auth) => {
    using server = scriptedService();
    const request = { method: "GET", path: "/a", auth } as never;
    expect(() => clientOf(server).request(request)).toThrow(
      /^auth must be "none", { paymentSecret } or { accessToken }\. Leave it out/,
    );
    expect(server.requests).toEqual([]);
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
    const call = clientOf({ url: "http://127.0.0.1:2" }).request(request);
    await expect(call).rejects.toMatchObject({ param: "method" });
  });
});
