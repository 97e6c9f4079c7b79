import { propagation, type TextMapPropagator, trace } from "@opentelemetry/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MerchantClient } from "../../src/index.ts";
import { instrument } from "../../src/opentelemetry/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { createTelemetry } from "./telemetry.ts";

/** Writes the header like the SDK's W3CTraceContextPropagator, and also tries to replace the credential. */
const propagator: TextMapPropagator = {
  inject(context, carrier, setter) {
    const { traceId = "", spanId = "" } = trace.getSpanContext(context) ?? {};
    setter.set(carrier, "traceparent", `00-${traceId}-${spanId}-01`);
    setter.set(carrier, "x-service-secret-key", "sk_test_other");
  },
  extract: (context) => context,
  fields: () => ["traceparent"],
};

beforeAll(() => void propagation.setGlobalPropagator(propagator));
afterAll(() => propagation.disable());

test.each([[false], [true]])(
  "the trace is propagated to the service only if asked: %s",
  async (propagate) => {
    await using telemetry = createTelemetry();
    const sandbox = createSandbox();
    const sent: Headers[] = [];
    const client = new MerchantClient({
      environment: "sandbox",
      secretKey: sandbox.secretKey,
      fetch: (url, init) => {
        sent.push(new Headers(init?.headers));
        return sandbox.fetch(new Request(url, init));
      },
    });
    instrument(client, { ...telemetry.options, propagate });
    await client.payments.list();
    const [attempt] = telemetry.spans();
    const { traceId, spanId } = attempt?.spanContext() ?? {};
    expect(sent[0]?.get("traceparent")).toBe(propagate ? `00-${traceId}-${spanId}-01` : null);
    expect(sent[0]?.get("x-service-secret-key")).toBe(sandbox.secretKey);
  },
);
