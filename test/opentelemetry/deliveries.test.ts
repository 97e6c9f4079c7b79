import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { instrument } from "../../src/opentelemetry/index.ts";
import { signWebhook, Webhooks } from "../../src/webhooks/index.ts";
import { createTelemetry } from "./telemetry.ts";

const secret = "whsec_of_this_test";
const url = "https://shop.example/webhooks";
const event = {
  event: "payment.updated",
  data: { id: "payment_77", orderId: "order_77", status: "completed" },
} as const;
const delivery = () => signWebhook({ event, secret }).request(url);
const quiet = { warn() {}, error() {} };

describe("instrument(webhooks)", () => {
  test("creates a span for each delivery, in which its handlers run", async () => {
    await using telemetry = createTelemetry();
    const webhooks = new Webhooks({ secret });
    instrument(webhooks, telemetry.options);
    webhooks.on("payment.updated", () => {
      telemetry.tracer.startActiveSpan("ship", (span) => span.end());
    });
    const answer = await webhooks.fetchHandler()(delivery());
    expect(answer.status).toBe(200);
    const span = telemetry.span("webhook payment.updated");
    expect(span).toMatchObject({
      kind: SpanKind.CONSUMER,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        "settlekit.event": "payment.updated",
        "settlekit.status": "completed",
        "http.response.status_code": 200,
      },
    });
    expect(telemetry.span("ship").parentSpanContext?.spanId).toBe(span.spanContext().spanId);
  });

  test("counts refused deliveries by reason, and does not mark them as errors", async () => {
    await using telemetry = createTelemetry();
    const webhooks = new Webhooks({ secret, logger: quiet });
    instrument(webhooks, telemetry.options);
    const forged = signWebhook({ event, secret: "other" });
    await webhooks.fetchHandler()(forged.request(url));
    await webhooks.safeVerify(forged);
    expect(() => webhooks.verifySync({ ...forged, headers: {} })).toThrow();
    expect(telemetry.spans().map(({ name, status }) => [name, status.code])).toEqual(
      Array.from({ length: 3 }, () => ["webhook", SpanStatusCode.UNSET]),
    );
    expect(await telemetry.points("settlekit.webhook.refusals")).toEqual([
      { attributes: { "settlekit.refusal": "signature_mismatch" }, value: 2 },
      { attributes: { "settlekit.refusal": "missing_signature" }, value: 1 },
    ]);
    expect(await telemetry.points("settlekit.webhook.duration")).toEqual([]);
  });

  test("marks a delivery whose body was already parsed as an error, because no sender can help it", async () => {
    await using telemetry = createTelemetry();
    const webhooks = new Webhooks({ secret, logger: quiet });
    instrument(webhooks, telemetry.options);
    const request = delivery();
    await request.json();
    expect((await webhooks.fetchHandler()(request)).status).toBe(500);
    const [span] = telemetry.spans();
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(span?.attributes).toMatchObject({ "error.type": "body_already_parsed" });
  });

  test("records that a handler failed", async () => {
    await using telemetry = createTelemetry();
    const webhooks = new Webhooks({ secret, logger: quiet });
    instrument(webhooks, telemetry.options);
    webhooks.on("*", () => {
      throw new RangeError("order_77 is not there");
    });
    expect((await webhooks.fetchHandler()(delivery())).status).toBe(500);
    const failure = { "error.type": "RangeError" };
    expect(telemetry.span("webhook payment.updated")).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { ...failure, "http.response.status_code": 500 },
    });
    const point = { "settlekit.event": "payment.updated", "settlekit.outcome": "failed" };
    expect(await telemetry.points("settlekit.webhook.duration")).toMatchObject([
      { attributes: { ...point, ...failure }, value: { count: 1 } },
    ]);
    expect(await telemetry.everything()).not.toContain("order_77");
  });

  test("records that a handler failed, even if it threw undefined", async () => {
    await using telemetry = createTelemetry();
    const webhooks = new Webhooks({ secret, logger: quiet });
    instrument(webhooks, telemetry.options);
    webhooks.on("*", () => Promise.reject());
    expect((await webhooks.fetchHandler()(delivery())).status).toBe(500);
    expect(telemetry.span("webhook payment.updated").status.code).toBe(SpanStatusCode.ERROR);
    expect(await telemetry.points("settlekit.webhook.duration")).toMatchObject([
      { attributes: { "settlekit.outcome": "failed", "error.type": "Error" } },
    ]);
  });

  test("does not count a sender that disconnects as a failure, because anyone can", async () => {
    await using telemetry = createTelemetry();
    const webhooks = new Webhooks({ secret });
    instrument(webhooks, telemetry.options);
    const { headers } = signWebhook({ event, secret: "other" });
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
    const init = { method: "POST", headers, body, duplex: "half" };
    await webhooks.fetchHandler()(new Request(url, init));
    expect(telemetry.span("webhook").status.code).toBe(SpanStatusCode.UNSET);
    expect(await telemetry.points("settlekit.webhook.duration")).toEqual([]);
  });

  test.each([[false], [true]])("records the order only if asked: %s", async (identifiers) => {
    await using telemetry = createTelemetry();
    const webhooks = new Webhooks({ secret });
    instrument(webhooks, { ...telemetry.options, identifiers });
    await webhooks.verify(delivery());
    const text = await telemetry.everything();
    expect(text.includes("order_77")).toBe(identifiers);
    expect(text.includes("payment_77")).toBe(identifiers);
    expect(text).not.toContain(secret);
  });

  test("stops when asked, and responds as usual when the tracer throws", async () => {
    await using telemetry = createTelemetry();
    const webhooks = new Webhooks({ secret });
    const startSpan = () => {
      throw new Error("broken");
    };
    const stop = instrument(webhooks, {
      ...telemetry.options,
      tracer: { ...telemetry.tracer, startSpan } as never,
    });
    webhooks.on("*", () => {});
    expect((await webhooks.fetchHandler()(delivery())).status).toBe(200);
    stop();
    expect((await webhooks.fetchHandler()(delivery())).status).toBe(200);
    expect(telemetry.spans()).toEqual([]);
  });
});
