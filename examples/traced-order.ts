// The OpenTelemetry spans of one order, from the click to the shipment: the shop creates a payment, the customer pays,
// the webhook is accepted, and the inbox ships. Run it with `npm run build && node examples/traced-order.ts`. In your
// server, replace the in-memory exporter with one that sends spans to your collector.

import { type SpanContext, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { MerchantClient } from "settlekit";
import { createInbox } from "settlekit/inbox";
import { instrument } from "settlekit/opentelemetry";
import { createSandbox } from "settlekit/sandbox";
import { sqlite } from "settlekit/sqlite";
import { Webhooks } from "settlekit/webhooks";

const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
const tracer = trace.getTracer("shop");

const sandbox = createSandbox({ deliver: (request) => receive(request) });
const { secretKey, webhookSecret: secret, fetch } = sandbox;
const client = new MerchantClient({ environment: "sandbox", secretKey, fetch });
const webhooks = new Webhooks({ secret });
const inbox = createInbox({ client, webhooks, store: sqlite(":memory:") });
for (const part of [client, webhooks, inbox]) instrument(part);

await inbox.migrate();
inbox.on("payment", "ship", { states: ["completed", "confirmed"] }, (_, { status }) => {
  tracer.startActiveSpan("ship", { attributes: { status } }, (span) => span.end());
});
const receive = inbox.fetchHandler();

// The first response is lost, so that the trace has a retry.
sandbox.faults.next("POST /payments", { status: 503, when: "after" });
const paymentId = await tracer.startActiveSpan("click on Buy", async (span) => {
  const created = await client.payments.create({ amount: 2500, orderId: "order_1" });
  span.end();
  return created.paymentId;
});
await sandbox.payments.simulate(paymentId, "success");
await sandbox.webhooks.idle();
await inbox.settleDue();

/** Prints a span below its parent, with its children below it. */
function print(span: ReadableSpan, spans: readonly ReadableSpan[], depth = 0): void {
  const { "http.response.status_code": status, "settlekit.outcome": outcome } = span.attributes;
  const linked = span.links.map((link) => nameOf(link.context, spans)).sort();
  const notes = [status ?? outcome, linked.length > 0 && `because of ${linked.join(" and ")}`];
  console.log(`${"  ".repeat(depth)}${[span.name, ...notes].filter(Boolean).join("  ")}`);
  for (const child of spans) {
    if (child.parentSpanContext?.spanId === span.spanContext().spanId) {
      print(child, spans, depth + 1);
    }
  }
}

function nameOf({ spanId }: SpanContext, spans: readonly ReadableSpan[]): string | undefined {
  return spans.find((span) => span.spanContext().spanId === spanId)?.name;
}

const spans = exporter
  .getFinishedSpans()
  .toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
for (const span of spans) if (span.parentSpanContext === undefined) print(span, spans);
