import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AbortError } from "../../src/errors.ts";
import { realTime } from "../../src/http/time.ts";
import { bearerToken } from "../../src/resources/arguments.ts";
import { Dashboard } from "../../src/resources/dashboard.ts";
import { createPayment, getPayment } from "../../src/wire/operations.ts";
import { scriptedServer } from "../scripted-server.ts";
import { scriptedService } from "../scripted-service.ts";
import { stopTime } from "../stop-time.ts";
import { createdPayment, payment } from "../wire/examples.ts";
import { FakeTime } from "./fake-time.ts";
import { httpTo } from "./http-to.ts";

const order = { body: { type: "payment", amount: 2500, currency: "USD", orderId: "order_1" } };
const read = { path: { paymentId: payment.id } };

/** A fetch that is never answered. */
const unanswered = () => new Promise<Response>(() => {});

/** A fetch whose response body begins but never ends. */
const endless = (status: number, beginning: string) => async () => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(beginning)),
  });
  return new Response(body, { status, headers: { "content-type": "application/json" } });
};

const url = "https://api.example";

/** Advances the fake clock, so that a busy machine cannot change the result. */
async function letPass<T>(ms: number, call: Promise<T>): Promise<T> {
  // Handled before it rejects.
  call.catch(() => {});
  await vi.advanceTimersByTimeAsync(ms);
  return call;
}

function useFakeTimers(): void {
  beforeEach(() => {
    stopTime();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

describe("timeoutMs", () => {
  useFakeTimers();

  test("ends an attempt that is not answered, and the next one may succeed", async () => {
    const answers = [unanswered(), Promise.resolve(Response.json(payment))];
    const fetch = () => answers.shift() ?? Promise.reject(new Error("a third request"));
    const http = httpTo({ url }, { fetch, timeoutMs: 200 });
    const { attempts } = await letPass(200, http.call(getPayment, read).withResponse());
    expect(attempts).toBe(2);
  });

  test("covers the body, so a response that never ends is too late", async () => {
    const http = httpTo({ url }, { fetch: endless(200, "{"), timeoutMs: 200, maxRetries: 0 });
    await expect(letPass(200, http.call(getPayment, read))).rejects.toMatchObject({
      name: "TimeoutError",
      code: "attempt_timeout",
      outcome: "unknown",
    });
  });

  test("leaves the outcome of a creation unknown", async () => {
    const http = httpTo({ url }, { fetch: unanswered, timeoutMs: 200, maxRetries: 1 });
    await expect(letPass(400, http.call(createPayment, order))).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      attempts: 2,
      cause: { name: "TimeoutError" },
    });
  });

  test("does not hide the status of an error whose body never ends", async () => {
    const http = httpTo({ url }, { fetch: endless(400, '{"error":'), timeoutMs: 200 });
    await expect(letPass(200, http.call(createPayment, order))).rejects.toMatchObject({
      name: "OutcomeUnknownError",
      status: 400,
      cause: { name: "InvalidRequestError", code: "invalid_request" },
    });
  });

  test("also ends a request over a real connection", async () => {
    const { promise: received, resolve } = Promise.withResolvers<void>();
    await using server = await scriptedServer(() => resolve());
    const call = httpTo(server, { timeoutMs: 200, maxRetries: 0 }).call(getPayment, read);
    await received;
    await expect(letPass(200, call)).rejects.toMatchObject({ code: "attempt_timeout" });
  });
});

describe("deadlineMs", () => {
  useFakeTimers();

  test("cuts off the running attempt", async () => {
    const fetch = vi.fn(unanswered);
    const http = httpTo({ url }, { fetch, deadlineMs: 200 }, realTime);
    await expect(letPass(200, http.call(getPayment, read))).rejects.toMatchObject({
      name: "TimeoutError",
      code: "deadline_exceeded",
    });
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  test("is reported as it was set, even if earlier attempts took part of it", async () => {
    const time = { ...realTime, random: () => 0 };
    const http = httpTo({ url }, { fetch: unanswered, timeoutMs: 150, deadlineMs: 200 }, time);
    const call = http.call(getPayment, read);
    await expect(letPass(200, call)).rejects.toThrow(
      "no complete response within deadlineMs (200 ms)",
    );
  });

  test("ends the call at once with its last error when the wait would exceed it", async () => {
    using server = scriptedService({ status: 429, headers: { "retry-after": "120" } });
    const time = new FakeTime();
    await expect(httpTo(server, {}, time).call(getPayment, read)).rejects.toMatchObject({
      name: "RateLimitError",
      retryAfterMs: 120_000,
      attempts: 1,
    });
    expect(time.waits).toEqual([]);
  });

  test("ends a call that keeps being rate limited", async () => {
    using server = scriptedService({ status: 429, headers: { "retry-after": "10" } });
    const time = new FakeTime();
    await expect(
      httpTo(server, { deadlineMs: 35_000 }, time).call(getPayment, read),
    ).rejects.toMatchObject({
      name: "RateLimitError",
      attempts: 4,
    });
    expect(time.current).toBe(30_000);
  });

  test("that passes before the request leaves says that nothing was sent", async () => {
    const time = new FakeTime();
    const beforeSend = async () => {
      time.current += 6_000;
      return undefined;
    };
    const fetch = vi.fn(unanswered);
    const http = httpTo({ url }, { fetch, deadlineMs: 5_000 }, time);
    await expect(http.call(createPayment, { ...order, beforeSend })).rejects.toMatchObject({
      code: "deadline_exceeded",
      outcome: "not_sent",
      message: expect.stringMatching(
        /^Nothing was sent: .* spent its deadlineMs \(5000 ms\) before/,
      ),
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  test("covers the secretKey function", async () => {
    const fetch = vi.fn(unanswered);
    const secretKey = () => new Promise<string>(() => {});
    const http = httpTo({ url }, { fetch, secretKey, deadlineMs: 200 }, realTime);
    await expect(letPass(200, http.call(getPayment, read))).rejects.toMatchObject({
      code: "deadline_exceeded",
      outcome: "not_sent",
      message: expect.stringMatching(/^Nothing was sent: .* waiting for the secretKey function/),
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  test("that passes while the call awaits a new token does not hide the 401 before", async () => {
    let asked = 0;
    const accessToken = () => (++asked === 1 ? "token" : new Promise<string>(() => {}));
    const fetch = async () => new Response("", { status: 401 });
    const http = httpTo({ url }, { fetch, deadlineMs: 200 }, realTime);
    const dashboard = new Dashboard(http.withCredential(bearerToken(accessToken)), "m_1");
    const call = letPass(200, dashboard.withdrawalConfig().withResponse());
    await expect(call).rejects.toMatchObject({ name: "AuthenticationError", attempts: 1 });
    expect(asked).toBe(2);
  });
});

describe("an abort", () => {
  test("before the call sends nothing", async () => {
    using server = scriptedService({ body: payment });
    const reason = new Error("changed my mind");
    const call = httpTo(server).call(getPayment, read, { signal: AbortSignal.abort(reason) });
    const error = await call.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ outcome: "not_sent", cause: reason });
    expect(server.requests).toHaveLength(0);
  });

  test("during an attempt ends it, and the outcome of a creation is unknown", async () => {
    const controller = new AbortController();
    await using server = await scriptedServer(() => controller.abort());
    const options = { signal: controller.signal, idempotencyKey: "key-1" };
    const error = await httpTo(server)
      .call(createPayment, order, options)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ outcome: "unknown", attempts: 1 });
    expect(error.message).toContain('"key-1"');
  });

  test("during a wait ends it at once", async () => {
    const controller = new AbortController();
    await using server = await scriptedServer((response) => {
      response
        .writeHead(429, { "retry-after": "30" })
        .end(() => setImmediate(() => controller.abort()));
    });
    const http = httpTo(server, {}, realTime);
    const call = http.call(createPayment, order, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({
      name: "AbortError",
      outcome: "unknown",
      attempts: 1,
    });
  });

  test("while the body arrives ends it", async () => {
    const controller = new AbortController();
    const body = new ReadableStream({ pull: () => controller.abort() }, { highWaterMark: 0 });
    const http = httpTo({ url }, { fetch: async () => new Response(body) });
    const call = http.call(getPayment, read, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ name: "AbortError", attempts: 1 });
  });
});

describe("the pause after a 429", () => {
  test("is shared: another call of the same client waits before its first request", async () => {
    using server = scriptedService(
      { status: 429, headers: { "retry-after": "5" } },
      { status: 201, body: createdPayment },
    );
    const time = new FakeTime();
    const http = httpTo(server, {}, time);
    await expect(http.call(createPayment, order, { maxRetries: 0 })).rejects.toMatchObject({
      status: 429,
    });
    await http.call(createPayment, order);
    expect(time.waits).toEqual([5000]);
  });

  test("that outlasts a call's deadline ends the call before anything is sent", async () => {
    using server = scriptedService({ status: 429, headers: { "retry-after": "60" } });
    const http = httpTo(server);
    await expect(http.call(getPayment, read, { maxRetries: 0 })).rejects.toMatchObject({
      status: 429,
    });
    await expect(http.call(getPayment, read, { deadlineMs: 1000 })).rejects.toMatchObject({
      name: "RateLimitError",
      outcome: "not_sent",
      retryAfterMs: 60_000,
      attempts: 0,
    });
    expect(server.requests).toHaveLength(1);
  });
});
