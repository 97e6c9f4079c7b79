import { type Attributes, context, type Span, SpanKind, trace } from "@opentelemetry/api";
import type { Webhook, Webhooks } from "../webhooks/index.ts";
import type { WebhookEndEvent } from "../webhooks/reception.ts";
import { durationBuckets, fail, type Telemetry } from "./telemetry.ts";

/**
 * A span for each delivery, in which its handlers run, and the metrics of deliveries. A trace context in a delivery is
 * ignored: anyone can write unsigned headers.
 */
export function instrumentWebhooks(webhooks: Webhooks, telemetry: Telemetry): () => void {
  const { tracer, identifiers } = telemetry;
  const record = deliveryMetrics(telemetry);
  const spans = new Map<number, Span>();

  function end(span: Span, event: WebhookEndEvent, webhook: Webhook | undefined): void {
    if (webhook !== undefined) {
      span.updateName(`webhook ${webhook.event}`);
      span.setAttributes(attributesOf(webhook, identifiers));
    }
    const { reason, error, status } = event;
    if (status !== undefined) span.setAttribute("http.response.status_code", status);
    if (reason !== undefined) span.setAttribute("settlekit.refusal", reason);
    // A body that was already parsed is this server's mistake.
    const failure = error ?? (status === 500 ? reason : undefined);
    if (failure !== undefined) fail(span, failure);
    span.end();
  }

  return webhooks.observe({
    onEvent(event, webhook) {
      if (event.type === "start") {
        spans.set(event.receptionId, tracer.startSpan("webhook", { kind: SpanKind.CONSUMER }));
        return;
      }
      record(event);
      const span = spans.get(event.receptionId);
      spans.delete(event.receptionId);
      if (span !== undefined) end(span, event, webhook);
    },
    around(receptionId, run) {
      const span = spans.get(receptionId);
      return span === undefined ? run() : context.with(trace.setSpan(context.active(), span), run);
    },
  });
}

function attributesOf({ event, data }: Webhook, identifiers: boolean): Attributes {
  const { status, id, orderId }: Readonly<Record<string, unknown>> = { ...data };
  return {
    "settlekit.event": event,
    ...(typeof status === "string" && { "settlekit.status": status }),
    ...(identifiers && typeof id === "string" && { "settlekit.id": id }),
    ...(identifiers && typeof orderId === "string" && { "settlekit.order_id": orderId }),
  };
}

function deliveryMetrics({ meter }: Telemetry): (event: WebhookEndEvent) => void {
  const durations = meter.createHistogram("settlekit.webhook.duration", {
    unit: "s",
    description: "Authentic deliveries, from arrival to response, by event and outcome.",
    advice: { explicitBucketBoundaries: durationBuckets },
  });
  const refusals = meter.createCounter("settlekit.webhook.refusals", {
    description: "Deliveries that were refused, by reason.",
  });
  return ({ event, reason, ok, error, durationMs }) => {
    if (reason !== undefined) refusals.add(1, { "settlekit.refusal": reason });
    // A delivery without an outcome is not counted: anyone can begin one and disconnect.
    else if (ok || error !== undefined) {
      durations.record(durationMs / 1000, {
        ...(event !== undefined && { "settlekit.event": event }),
        "settlekit.outcome": ok ? "ok" : "failed",
        ...(error !== undefined && { "error.type": error }),
      });
    }
  };
}
