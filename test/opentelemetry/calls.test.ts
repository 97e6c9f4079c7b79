import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { describe, expect, test, vi } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { instrument } from "../../src/opentelemetry/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { stopTime } from "../stop-time.ts";
import { payment } from "../wire/examples.ts";
import { createTelemetry } from "./telemetry.ts";

const listPath = "/v1/external/secretkey-auth/payments";
const recipientAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

function createShop() {
  const sandbox = createSandbox({ seed: "traces" });
  const { secretKey, fetch } = sandbox;
  const client = new MerchantClient({ environment: "sandbox", secretKey, fetch });
  return { sandbox, client };
}

describe("instrument", () => {
  test.each([
    undefined,
    null,
    "client",
    {},
    createShop().client.checkout({ paymentId: "p", secret: "s" }),
  ])("refuses %s, and names the supported targets", (target) => {
    const wrong = () => instrument(target as never);
    expect(wrong).toThrow(
      /^target must be a MerchantClient, a Webhooks instance, an inbox or a payout ledger, got /,
    );
    expect(wrong).toThrow(expect.objectContaining({ name: "ConfigurationError" }));
  });

  test.each([
    [{ tracer: null }, "tracer"],
    [{ meter: trace }, "meter"],
    [{ propagate: "yes" }, "propagate"],
    [{ identifiers: 1 }, "identifiers"],
    [{ identifier: true }, "identifier"],
  ])("refuses %o", (options, param) => {
    const wrong = () => instrument(createShop().client, options as never);
    expect(wrong).toThrow(expect.objectContaining({ name: "ConfigurationError", param }));
  });
});

describe("instrument(client)", () => {
  test("creates a span for each call, with a child for each attempt", async () => {
    await using telemetry = createTelemetry();
    const { sandbox, client } = createShop();
    instrument(client, telemetry.options);
    sandbox.faults.next("GET /payments", { status: 503, when: "before", retryAfter: 0 });
    await client.payments.list();

    const [first, second, call] = telemetry.spans();
    expect(call).toMatchObject({
      name: "payments.list",
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        "settlekit.operation": "payments.list",
        "settlekit.attempts": 2,
        "settlekit.outcome": "ok",
        "settlekit.request_id": expect.any(String),
      },
    });
    expect(call?.events).toMatchObject([
      {
        name: "retry",
        attributes: { "settlekit.reason": "503", "settlekit.wait_ms": expect.any(Number) },
      },
    ]);
    const attempt = {
      name: `GET ${listPath}`,
      kind: SpanKind.CLIENT,
      parentSpanContext: { spanId: call?.spanContext().spanId },
    };
    const request = {
      "http.request.method": "GET",
      "url.template": listPath,
      "server.address": "127.0.0.1",
      "server.port": 4010,
    };
    expect(first).toMatchObject({
      ...attempt,
      status: { code: SpanStatusCode.ERROR },
      attributes: { ...request, "http.response.status_code": 503, "error.type": "503" },
    });
    expect(second).toMatchObject({
      ...attempt,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        ...request,
        "http.response.status_code": 200,
        "http.request.resend_count": 1,
        "settlekit.request_id": expect.any(String),
      },
    });
  });

  test("gives an IPv6 address without the brackets of its URL", async () => {
    await using telemetry = createTelemetry();
    const { secretKey, fetch } = createSandbox();
    const baseUrl = "http://[::1]:4010";
    const client = new MerchantClient({ environment: "sandbox", baseUrl, secretKey, fetch });
    instrument(client, telemetry.options);
    await client.payments.list();
    const address = { "server.address": "::1", "server.port": 4010 };
    expect(telemetry.span(`GET ${listPath}`).attributes).toMatchObject(address);
  });

  test("records how a call failed", async () => {
    await using telemetry = createTelemetry();
    const { client } = createShop();
    instrument(client, telemetry.options);
    await expect(client.payments.get("nowhere")).rejects.toThrow();
    expect(telemetry.span("payments.get")).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        "settlekit.outcome": "rejected",
        "error.type": "NotFoundError",
        "settlekit.error.code": "not_found",
      },
    });
  });

  test("records that an attempt was never sent", async () => {
    stopTime();
    await using telemetry = createTelemetry();
    const { secretKey, fetch } = createShop().sandbox;
    const hook = vi.fn().mockRejectedValue(new Error("no"));
    hook.mockReturnValueOnce(new Promise(() => {}));
    const hooks = { beforeRequest: [hook] };
    const client = new MerchantClient({ environment: "sandbox", secretKey, fetch, hooks });
    instrument(client, telemetry.options);
    const refused = expect(client.payments.list({}, { timeoutMs: 200 })).rejects.toThrow("no");
    // Advances time until the hook has timed out and the retry has run.
    await vi.waitFor(() => expect(hook).toHaveBeenCalledTimes(2));
    await refused;
    vi.useRealTimers();
    const attempt = { name: `GET ${listPath}`, status: { code: SpanStatusCode.ERROR } };
    expect(telemetry.spans()).toMatchObject([
      { ...attempt, attributes: { "error.type": "timeout" } },
      { ...attempt, attributes: { "error.type": "ConfigurationError" } },
      { name: "payments.list", attributes: { "settlekit.attempts": 0 } },
    ]);
  });

  test("continues the caller's trace", async () => {
    await using telemetry = createTelemetry();
    const { client } = createShop();
    instrument(client, telemetry.options);
    await telemetry.tracer.startActiveSpan("checkout", async (span) => {
      await Promise.all([client.payments.list(), client.chains.list()]);
      span.end();
    });
    const parent = telemetry.span("checkout").spanContext();
    for (const name of ["payments.list", "chains.list"]) {
      expect(telemetry.span(name).parentSpanContext?.spanId).toBe(parent.spanId);
      expect(telemetry.span(name).spanContext().traceId).toBe(parent.traceId);
    }
  });

  test("measures durations, retries, pauses and drift", async () => {
    vi.useFakeTimers();
    await using telemetry = createTelemetry();
    const answers = [
      new Response("{}", { status: 429, headers: { "retry-after": "30" } }),
      Response.json({ ...payment, amountInCents: "odd" }),
      Response.json(payment),
    ];
    const client = new MerchantClient({
      environment: "sandbox",
      secretKey: "sk_test_1",
      fetch: async () => answers.shift() ?? Response.error(),
    });
    instrument(client, telemetry.options);
    const first = client.payments.get(payment.id);
    await vi.advanceTimersByTimeAsync(10);
    // The service asked to wait: this call waits as well.
    const second = client.payments.get(payment.id);
    await vi.advanceTimersByTimeAsync(40_000);
    await Promise.all([first, second]);
    vi.useRealTimers();

    const operation = { "settlekit.operation": "payments.get" };
    expect(await telemetry.points("settlekit.call.duration")).toEqual([
      {
        attributes: { ...operation, "settlekit.outcome": "ok" },
        value: expect.objectContaining({ count: 2, max: expect.closeTo(30, 0) }),
      },
    ]);
    const reason = { "settlekit.reason": "429" };
    expect(await telemetry.points("settlekit.call.retries")).toEqual([
      { attributes: { ...operation, ...reason }, value: 1 },
    ]);
    expect(await telemetry.points("settlekit.call.pause.duration")).toEqual([
      { attributes: operation, value: expect.objectContaining({ count: 1 }) },
    ]);
    expect(await telemetry.points("settlekit.call.drift")).toEqual([
      { attributes: operation, value: 1 },
    ]);
  });

  test.each([[false], [true]])(
    "records orders and addresses only if asked: %s",
    async (identifiers) => {
      await using telemetry = createTelemetry();
      const { sandbox, client } = createShop();
      instrument(client, { ...telemetry.options, identifiers });
      const { paymentId, secret } = await client.payments.create({
        amount: 2500,
        orderId: "order_77",
      });
      await client.payments.get(paymentId);
      await client.withdrawals.create({
        amountInCents: 12_500,
        chainId: 84_532,
        recipientAddress,
        orderId: "payout_77",
      });
      const text = await telemetry.everything();
      for (const identifier of ["order_77", "payout_77", recipientAddress, paymentId]) {
        expect(text.includes(identifier)).toBe(identifiers);
      }
      expect(text).not.toContain(secret);
      expect(text).not.toContain(sandbox.secretKey);
      // Metrics would have a time series for each.
      const points = JSON.stringify(await telemetry.points("settlekit.call.duration"));
      expect(points).not.toContain("order_77");
    },
  );

  test("records the path of client.request, which contains ids, only with identifiers", async () => {
    await using telemetry = createTelemetry();
    const { client } = createShop();
    const { paymentId } = await client.payments.create({ amount: 2500, orderId: "order_1" });
    const request = { method: "GET", path: `${listPath}/${paymentId}` } as const;
    const stop = instrument(client, telemetry.options);
    await client.request(request);
    expect(telemetry.spans().map(({ name }) => name)).toEqual(["GET", "request"]);
    expect(await telemetry.everything()).not.toContain(paymentId);
    stop();

    instrument(client, { ...telemetry.options, identifiers: true });
    await client.request(request);
    expect(telemetry.spans().at(-2)?.attributes["url.full"]).toContain(request.path);
  });

  test("records the URL as it was sent, without the credential", async () => {
    await using telemetry = createTelemetry();
    const secretKey = "sk_test_0123/456+789=";
    const sent: string[] = [];
    const fetch = async (url: string) => {
      sent.push(url);
      return Response.json({});
    };
    const client = new MerchantClient({ environment: "sandbox", secretKey, fetch });
    instrument(client, { ...telemetry.options, identifiers: true });
    await client.payments.list({ limit: 5, search: "Zoë & Söhne" }).catch(() => {});
    await client.payments.get("payment_1").catch(() => {});
    const query = { key: secretKey, page: 2, none: undefined };
    await client.request({ method: "GET", path: listPath, query });
    const attempts = telemetry.spans().filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(sent).toHaveLength(3);
    expect(sent[0]).toContain("search=Zo%C3%AB+%26+S%C3%B6hne");
    expect(attempts.map(({ attributes }) => attributes["url.full"])).toEqual([
      ...sent.slice(0, 2),
      `${client.baseUrl}${listPath}?key=%5Bredacted%5D&page=2`,
    ]);
  });

  test("stops when asked, and completes the spans of calls in flight", async () => {
    await using telemetry = createTelemetry();
    const { sandbox, client } = createShop();
    const stop = instrument(client, telemetry.options);
    sandbox.faults.next("GET /payments", { status: 503, when: "before", retryAfter: 0 });
    const listing = client.payments.list();
    stop();
    await listing;
    await client.payments.list();
    const names = [`GET ${listPath}`, `GET ${listPath}`, "payments.list"];
    expect(telemetry.spans().map(({ name }) => name)).toEqual(names);
  });

  test("completes a call when the tracer throws", async () => {
    await using telemetry = createTelemetry();
    const { client } = createShop();
    const startSpan = () => {
      throw new Error("broken");
    };
    instrument(client, {
      ...telemetry.options,
      tracer: { ...telemetry.tracer, startSpan } as never,
    });
    expect((await client.payments.list()).data).toEqual([]);
  });
});
