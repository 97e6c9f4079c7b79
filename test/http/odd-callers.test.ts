import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../src/errors.ts";
import type { RequestOptions } from "../../src/http/settings.ts";
import { realTime } from "../../src/http/time.ts";
import { createPayment, getPayment } from "../../src/wire/operations.ts";
import { scriptedServer } from "../scripted-server.ts";
import { scriptedService } from "../scripted-service.ts";
import { createdPayment, payment } from "../wire/examples.ts";
import { httpTo } from "./http-to.ts";

const order = { body: { type: "payment", amount: 2500, currency: "USD", orderId: "order_1" } };
const read = { path: { paymentId: payment.id } };

describe("a call", () => {
  test.each<[string, object, string]>([
    ["a misspelt option", { idempotencykey: "key-1" }, "idempotencykey"],
    ["a controller for its signal", { signal: new AbortController() }, "signal"],
    ["a timeout of 0", { timeoutMs: 0 }, "timeoutMs"],
    ["a header that belongs to the connection", { headers: { "Content-Length": "3" } }, "headers"],
    ["a Headers object", { headers: new Headers({ a: "b" }) }, "headers"],
    ["a Map of headers", { headers: new Map([["a", "b"]]) }, "headers"],
    ["a list of headers", { headers: [["a", "b"]] }, "headers"],
  ])("with %s is refused before anything is sent", async (_, options, param) => {
    using server = scriptedService({ status: 201, body: createdPayment });
    const call = httpTo(server).call(createPayment, order, options as RequestOptions);
    await expect(call).rejects.toMatchObject({ name: "ConfigurationError", param });
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    [undefined, "must be a string, got undefined"],
    [7, "must be a string, got 7"],
    ["secret\n", "has a line break or a character that headers cannot carry"],
  ])("with the header value %j says what is wrong without quoting it", async (value, fact) => {
    const headers = { "x-a": value } as Record<string, string>;
    const call = httpTo({ url: "https://api.example" }).call(getPayment, read, { headers });
    await expect(call).rejects.toThrow(`headers: the value of x-a ${fact}.`);
  });

  test("is not affected by an onEvent function or logger that rejects", async () => {
    using server = scriptedService({ body: payment });
    const logged: unknown[] = [];
    const options = {
      onEvent: () => Promise.reject(new Error("metrics are down")),
      logger: { error: (message: string) => logged.push(message), debug: () => Promise.reject() },
    };
    expect(await httpTo(server, options).call(getPayment, read)).toEqual(payment);
    await new Promise((resolve) => setImmediate(resolve));
    expect(logged).toContain("settlekit: onEvent threw");
  });
});

describe("a custom fetch", () => {
  test("may return another package's Response", async () => {
    const foreign = {
      ok: true,
      status: 200,
      type: "basic" as const,
      headers: new Headers(),
      body: null,
      text: async () => JSON.stringify(payment),
    };
    const http = httpTo({ url: "https://api.example" }, { fetch: async () => foreign });
    expect(await http.call(getPayment, read)).toEqual(payment);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["only a body", "{}"],
    ["Response.error()", Response.error()],
  ])("that returns %s leaves the outcome of a creation unknown", async (_, given) => {
    const fetch = () => Promise.resolve(given as Response);
    const http = httpTo({ url: "https://api.example" }, { fetch, maxRetries: 0 });
    await expect(http.call(createPayment, order)).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      cause: { name: "ConnectionError" },
    });
  });
});

describe("an error that throws when it is read", () => {
  const nasty = () => {
    const error = new Error();
    Object.defineProperty(error, "message", {
      get() {
        throw error;
      },
    });
    return error;
  };
  const trapped = () =>
    new Proxy(new Error(), {
      get: () => {
        throw trapped();
      },
      getPrototypeOf: () => {
        throw trapped();
      },
    });
  const url = "https://api.example";
  const unknown = { name: "OutcomeUnknownError", outcome: "unknown", attempts: 1 };
  const thrower = (thrown: () => unknown) => () => Promise.reject(thrown());

  describe.each([
    ["in its message", nasty],
    ["in everything", trapped],
  ])("%s", (_, thrown) => {
    test("leaves the outcome of a creation unknown if fetch throws it", async () => {
      const http = httpTo({ url }, { fetch: thrower(thrown) });
      await expect(http.call(createPayment, order)).rejects.toMatchObject(unknown);
    });

    test("leaves the outcome of a creation unknown if an afterResponse hook throws it", async () => {
      const fetch = async () => Response.json(createdPayment);
      const hooks = { afterResponse: [thrower(thrown)] };
      const http = httpTo({ url }, { fetch, hooks, maxRetries: 0 });
      await expect(http.call(createPayment, order)).rejects.toMatchObject(unknown);
    });

    test("sends nothing if a beforeRequest hook throws it", async () => {
      const hooks = { beforeRequest: [thrower(thrown)] };
      await expect(httpTo({ url }, { hooks }).call(createPayment, order)).rejects.toMatchObject({
        code: "hook_failed",
        outcome: "not_sent",
      });
    });
  });

  test("sends nothing if the secretKey function throws it", async () => {
    const http = httpTo({ url }, { secretKey: thrower(nasty) }, realTime);
    await expect(http.call(createPayment, order)).rejects.toMatchObject({
      code: "credential_unavailable",
      outcome: "not_sent",
    });
  });
});

test("calls that fail with the same ConfigurationError of the secretKey function get one each", async () => {
  const error = new ConfigurationError("The vault is sealed.", { code: "sealed" });
  const secretKey = () => Promise.reject(error);
  const http = httpTo({ url: "https://api.example" }, { secretKey }, realTime);
  const calls = [http.call(createPayment, order), http.call(getPayment, read)];
  expect(await Promise.allSettled(calls)).toMatchObject([
    { reason: { code: "sealed", operation: "payments.create" } },
    { reason: { code: "sealed", operation: "payments.get" } },
  ]);
  expect(error.operation).toBeUndefined();
});

test("a dispatcher that this fetch does not support is reported, and nothing is sent", async () => {
  using server = scriptedService({ status: 201, body: createdPayment });
  const dispatch = () => {
    throw Object.assign(new Error("invalid onRequestStart method"), {
      code: "UND_ERR_INVALID_ARG",
    });
  };
  const http = httpTo(server, { fetchOptions: { dispatcher: { dispatch } } });
  await expect(http.call(createPayment, order)).rejects.toMatchObject({
    name: "ConfigurationError",
    param: "fetchOptions",
    outcome: "not_sent",
    attempts: 1,
  });
  expect(server.requests).toHaveLength(0);
});

test("fetchOptions that the global fetch refuses are reported, and nothing is sent", async () => {
  await using server = await scriptedServer({ status: 201, body: createdPayment });
  const http = httpTo(server, { fetchOptions: { credentials: "sometimes" } });
  const error = await http.call(createPayment, order).catch((thrown) => thrown);
  expect(error).toMatchObject({
    name: "ConfigurationError",
    param: "fetchOptions",
    outcome: "not_sent",
    attempts: 1,
  });
  expect(error.message).toContain("sometimes is not an accepted type");
  expect(server.requests).toHaveLength(0);
});
