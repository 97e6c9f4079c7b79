import { describe, expect, test } from "vitest";
import type { ClientEvent, Logger } from "../../src/http/events.ts";
import { createPayment, getPayment } from "../../src/wire/operations.ts";
import { reset, scriptedServer } from "../scripted-server.ts";
import { scriptedService } from "../scripted-service.ts";
import { createdPayment, payment } from "../wire/examples.ts";
import { httpTo, secretKey } from "./http-to.ts";

const order = { body: { type: "payment", amount: 2500, currency: "USD", orderId: "order_1" } };
const read = { path: { paymentId: payment.id } };

function recorder() {
  const events: ClientEvent[] = [];
  return { events, onEvent: (event: ClientEvent) => void events.push(event) };
}

describe("onEvent", () => {
  test("reports every step of a call", async () => {
    await using server = await scriptedServer(
      { status: 503, headers: { "x-request-id": "req_1" } },
      reset,
      { status: 201, body: createdPayment, headers: { "x-request-id": "req_3" } },
    );
    const { events, onEvent } = recorder();
    await httpTo(server, { onEvent }).call(createPayment, order);
    const call = { callId: 1, operation: "payments.create" };
    expect(events).toMatchObject([
      { ...call, type: "start", method: "POST", path: "/v1/external/secretkey-auth/payments" },
      { ...call, type: "attempt", attempt: 1, status: 503, requestId: "req_1", failure: "status" },
      { ...call, type: "retry", attempt: 2, reason: "503", waitMs: 250 },
      { ...call, type: "attempt", attempt: 2, failure: "connection" },
      { ...call, type: "retry", attempt: 3, reason: "connection", waitMs: 500 },
      { ...call, type: "attempt", attempt: 3, status: 201, requestId: "req_3" },
      { ...call, type: "end", ok: true, attempts: 3, status: 201, requestId: "req_3" },
    ]);
    for (const event of events) {
      if (event.type === "attempt") expect(event.durationMs).toBeGreaterThanOrEqual(0);
    }
  });

  test("reports how a call failed", async () => {
    const body = { error: { code: "not_found", message: "None" } };
    using server = scriptedService({ status: 404, body });
    const { events, onEvent } = recorder();
    await httpTo(server, { onEvent })
      .call(getPayment, read)
      .catch(() => {});
    const end = { ok: false, attempts: 1, error: "NotFoundError", code: "not_found", status: 404 };
    expect(events.at(-1)).toMatchObject({ type: "end", outcome: "rejected", ...end });
  });

  test.each([
    ["an argument is refused", {}, () => ({ path: { paymentId: ".." } })],
    [
      "the input function throws",
      {},
      () => {
        throw new RangeError("no");
      },
    ],
    ["the key is unavailable", { secretKey: () => Promise.reject(new Error("vault")) }, () => read],
  ])("reports one end for each start when %s", async (_, options, input) => {
    using server = scriptedService({ body: payment });
    const { events, onEvent } = recorder();
    await httpTo(server, { ...options, onEvent })
      .call(getPayment, input)
      .catch(() => {});
    expect(events.map(({ type }) => type)).toEqual(["start", "end"]);
  });

  test("that throws does not fail the call", async () => {
    using server = scriptedService({ body: payment });
    const logged: unknown[] = [];
    const onEvent = () => {
      throw new Error("broken metrics");
    };
    const logger: Logger = { error: (message) => void logged.push(message) };
    expect(await httpTo(server, { onEvent, logger }).call(getPayment, read)).toEqual(payment);
    expect(logged[0]).toBe("settlekit: onEvent threw");
  });
});

describe("logger", () => {
  test("gets retries and failures as warnings, the rest at debug level, and no secret", async () => {
    using server = scriptedService({ status: 503 }, { status: 401, body: { code: secretKey } });
    const lines: string[] = [];
    const write = (level: string) => (message: string, details: unknown) =>
      void lines.push(`${level} ${message} ${JSON.stringify(details)}`);
    const logger = { debug: write("debug"), warn: write("warn") };
    await httpTo(server, { logger })
      .call(getPayment, read)
      .catch(() => {});
    expect(lines.map((line) => line.split(" ").slice(0, 4).join(" "))).toEqual([
      "debug settlekit: payments.get start",
      "debug settlekit: payments.get attempt",
      "warn settlekit: payments.get retry",
      "debug settlekit: payments.get attempt",
      "warn settlekit: payments.get end",
    ]);
    expect(lines.join()).not.toContain(secretKey);
  });
});

test("an observer adds headers, but cannot change the credential or the key, or make the call fail", async () => {
  using server = scriptedService({ status: 201, body: createdPayment });
  const http = httpTo(server);
  // Such as a propagator that forwards the headers of an incoming request.
  const forwarded = {
    traceparent: "00-1",
    "Idempotency-Key": "incoming",
    "X-Service-Secret-Key": "incoming",
    baggage: "line\nbreak",
  };
  http.observe({ onEvent() {}, beforeAttempt: () => forwarded });
  await http.call(createPayment, order, { idempotencyKey: "key-1" });
  const { headers } = server.requests[0] ?? {};
  expect(headers).toMatchObject({
    traceparent: "00-1",
    "idempotency-key": "key-1",
    "x-service-secret-key": secretKey,
  });
  expect(headers).not.toHaveProperty("baggage");
});
