import { inspect } from "node:util";
import ky, { type Hooks } from "ky";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ClientHooks } from "../../src/http/hooks.ts";
import { createPayment, createWithdrawal, getPayment } from "../../src/wire/operations.ts";
import { scriptedService } from "../scripted-service.ts";
import { createdPayment, payment } from "../wire/examples.ts";
import { httpTo, secretKey } from "./http-to.ts";

const order = { body: { type: "payment", amount: 2500, currency: "USD", orderId: "order_1" } };
const read = { path: { paymentId: payment.id } };
const created = { status: 201, body: createdPayment };

/** Creates a payment with these hooks. Returns its error and the requests that the service received. */
async function creationWith(hooks: ClientHooks, answers = [created]) {
  using server = scriptedService(...answers);
  const call = httpTo(server, { hooks }).call(createPayment, order, { idempotencyKey: "key-1" });
  const error = await call.then(
    () => undefined,
    (thrown) => thrown,
  );
  return { error, requests: server.requests };
}

test("hooks written for ky work unchanged", async () => {
  const seen: string[] = [];
  const written: Pick<Hooks, "beforeRequest" | "afterResponse"> = {
    beforeRequest: [({ request }) => request.headers.set("traceparent", "00-1")],
    afterResponse: [
      async ({ request, response, retryCount }) => {
        seen.push(
          `${request.method} ${response.status} ${retryCount} ${(await response.json<{ id: string }>()).id}`,
        );
      },
    ],
  };
  const hooks: ClientHooks = written;
  using server = scriptedService({ body: payment });
  expect(await httpTo(server, { hooks }).call(getPayment, read)).toEqual(payment);
  expect(server.requests[0]?.headers).toMatchObject({ traceparent: "00-1" });
  expect(seen).toEqual([`GET 200 0 ${payment.id}`]);
});

test("hooks run around every attempt, and its idempotency key and bytes stay the same", async () => {
  let count = 0;
  const hooks: ClientHooks = {
    beforeRequest: [({ request }) => request.headers.set("x-attempt", String(++count))],
  };
  const { error, requests } = await creationWith(hooks, [
    { status: 503, body: createdPayment },
    created,
  ]);
  expect(error).toBeUndefined();
  expect(requests.map(({ headers }) => headers["x-attempt"])).toEqual(["1", "2"]);
  expect(
    new Set(requests.map(({ headers, body }) => `${headers["idempotency-key"]} ${body}`)).size,
  ).toBe(1);
});

test("a beforeRequest hook may reroute the request to a proxy's URL", async () => {
  using proxy = scriptedService(created);
  const hooks: ClientHooks = {
    beforeRequest: [
      ({ request }) => new Request(`${proxy.url}/${encodeURIComponent(request.url)}`, request),
    ],
  };
  const http = httpTo({ url: "https://api.example" }, { hooks });
  expect(await http.call(createPayment, order)).toEqual(createdPayment);
  expect(proxy.requests[0]).toMatchObject({ method: "POST", body: JSON.stringify(order.body) });
});

test("a later hook receives what an earlier one returned", async () => {
  const seen: unknown[] = [];
  const hooks: ClientHooks = {
    beforeRequest: [
      ({ request }) => new Request(`${request.url}?from=hook`, request),
      ({ request, retryCount }) => void seen.push(new URL(request.url).search, retryCount),
    ],
    afterResponse: [
      async ({ response }) => Response.json({ ...(await response.json()), note: 1 }),
      async ({ response, retryCount }) => void seen.push((await response.json()).note, retryCount),
    ],
  };
  using server = scriptedService({ status: 503 }, { body: payment });
  await httpTo(server, { hooks: { beforeRequest: hooks.beforeRequest } }).call(getPayment, read);
  expect(seen).toEqual(["?from=hook", 0, "?from=hook", 0]);
  seen.length = 0;
  using second = scriptedService({ body: payment });
  expect(await httpTo(second, { hooks }).call(getPayment, read)).toMatchObject({ note: 1 });
  expect(seen).toEqual(["?from=hook", 0, 1, 0]);
});

describe("a beforeRequest hook", () => {
  const mistakes: [string, NonNullable<ClientHooks["beforeRequest"]>[number], RegExp][] = [
    [
      "throws",
      () => {
        throw new RangeError("no tracer");
      },
      /^A beforeRequest hook threw RangeError: no tracer\. Nothing was sent\.$/,
    ],
    ["returns another object", () => ({}) as Request, /returned an object in place/],
    [
      "deletes the idempotency key",
      ({ request }) => request.headers.delete("idempotency-key"),
      /changed the Idempotency-Key/,
    ],
    [
      "changes the idempotency key",
      ({ request }) => request.headers.set("idempotency-key", "2"),
      /changed the Idempotency-Key/,
    ],
    [
      "changes the method",
      ({ request }) => new Request(request, { method: "PUT" }),
      /changed the method/,
    ],
    [
      "changes the body",
      ({ request }) => new Request(request, { body: "{}", method: "POST" }),
      /changed the body/,
    ],
    [
      "reads the body",
      async ({ request }) => void (await request.text()),
      /read the request's body.*clone/,
    ],
    [
      "sends the secret key over plain http",
      ({ request }) => new Request("http://proxy.example/", request),
      /returned a URL that is not https/,
    ],
  ];

  test.each(mistakes)(
    "that %s fails the call before anything is sent",
    async (_, hook, message) => {
      const { error, requests } = await creationWith({ beforeRequest: [hook] });
      expect(error).toMatchObject({
        name: "ConfigurationError",
        code: "hook_failed",
        param: "hooks",
        outcome: "not_sent",
        attempts: 0,
      });
      expect(error.message).toMatch(message);
      expect(requests).toHaveLength(0);
    },
  );

  test("that returns a Response may have sent the request itself, so the outcome is unknown", async () => {
    using server = scriptedService(created);
    const hooks = { beforeRequest: [({ request }: { request: Request }) => fetch(request)] };
    const call = httpTo(server, { hooks }).call(createWithdrawal, { body: {} });
    await expect(call).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      attempts: 1,
      cause: {
        code: "hook_failed",
        message: expect.stringMatching(
          /returned a Response in place of the service's.* The request may have been sent\.$/,
        ),
      },
    });
    expect(server.requests).toHaveLength(1);
  });

  test("that throws the request does not expose its credential", async () => {
    const { error } = await creationWith({
      beforeRequest: [
        ({ request }) => {
          throw Object.assign(new Error(`bad ${[...request.headers]}`), { request });
        },
      ],
    });
    expect(error.cause).toMatchObject({ message: expect.stringContaining("[redacted]") });
    const shown = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
    expect(shown).not.toContain(secretKey);
  });

  test("that never settles is ended by timeoutMs, and nothing is sent", async () => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const hang = () => {
      enter();
      return new Promise<void>(() => {});
    };
    const fetch = vi.fn(async () => Response.json({}, { status: 201 }));
    const options = { fetch, hooks: { beforeRequest: [hang] }, timeoutMs: 60_000, maxRetries: 0 };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const http = httpTo({ url: "https://api.example" }, options);
    const call = http.call(createWithdrawal, { body: {} });
    call.catch(() => {});
    await entered;
    vi.advanceTimersByTime(60_000);
    await expect(call).rejects.toMatchObject({
      name: "TimeoutError",
      outcome: "not_sent",
      message: expect.stringMatching(/^Nothing was sent: .* beforeRequest hook/),
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  test("that is running when the call is aborted prevents the request", async () => {
    const controller = new AbortController();
    const hooks: ClientHooks = { beforeRequest: [() => controller.abort()] };
    using server = scriptedService(created);
    const call = httpTo(server, { hooks }).call(createPayment, order, {
      signal: controller.signal,
    });
    await expect(call).rejects.toMatchObject({
      name: "AbortError",
      outcome: "not_sent",
      attempts: 0,
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe("an afterResponse hook", () => {
  const mistakes: [string, NonNullable<ClientHooks["afterResponse"]>[number], RegExp][] = [
    [
      "throws",
      () => {
        throw new RangeError("no log");
      },
      /^An afterResponse hook threw RangeError: no log\. The request had been sent\.$/,
    ],
    ["changes the status", () => new Response("{}", { status: 400 }), /turned status 201 into 400/],
    ["asks for a retry", () => ky.retry(), /settlekit itself decides about retries/],
  ];

  test.each(mistakes)(
    "that %s leaves the outcome unknown, and the cause names the hook",
    async (_, hook, message) => {
      const { error, requests } = await creationWith({ afterResponse: [hook] });
      expect(error).toMatchObject({
        name: "OutcomeUnknownError",
        outcome: "unknown",
        idempotencyKey: "key-1",
        attempts: 1,
        cause: { code: "hook_failed", message: expect.stringMatching(message) },
      });
      expect(requests).toHaveLength(1);
    },
  );

  test("that replaces a successful response decides the result", async () => {
    const hooks: ClientHooks = {
      afterResponse: [
        async ({ response }) => Response.json({ ...(await response.json()), note: 1 }),
      ],
    };
    using server = scriptedService({ body: payment });
    expect(await httpTo(server, { hooks }).call(getPayment, read)).toEqual({ ...payment, note: 1 });
  });

  test("that turns a proxy's page into a rejection by the service does not make the outcome certain", async () => {
    const refusal = { error: { code: "forbidden", message: "No" } };
    const { error } = await creationWith(
      { afterResponse: [() => Response.json(refusal, { status: 403 })] },
      [{ status: 403, body: "<html>" as never }],
    );
    expect(error).toMatchObject({
      name: "OutcomeUnknownError",
      cause: { name: "PermissionError" },
    });
  });

  test("that never settles is ended by timeoutMs, and the outcome is unknown", async () => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const hang = () => {
      enter();
      return new Promise<void>(() => {});
    };
    const fetch = async () => Response.json(createdPayment, { status: 201 });
    const options = { fetch, hooks: { afterResponse: [hang] }, timeoutMs: 60_000, maxRetries: 0 };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const call = httpTo({ url: "https://api.example" }, options).call(createPayment, order);
    call.catch(() => {});
    await entered;
    vi.advanceTimersByTime(60_000);
    await expect(call).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      cause: { name: "TimeoutError" },
    });
  });
});

test.each([
  ["a hook with an unknown name", { beforeRetry: [] }, "hooks.beforeRetry"],
  ["a hook that is not a function", { beforeRequest: ["log"] }, "hooks.beforeRequest.0"],
  ["a hook outside a list", { afterResponse: () => {} }, "hooks.afterResponse"],
])("%s is refused", (_, hooks, param) => {
  const make = () => httpTo({ url: "https://api.example" }, { hooks: hooks as ClientHooks });
  expect(make).toThrow(expect.objectContaining({ name: "ConfigurationError", param }));
});
