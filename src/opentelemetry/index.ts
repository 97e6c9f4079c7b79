/**
 * OpenTelemetry spans and metrics for clients, webhooks, inboxes and payouts. Needs `@opentelemetry/api`, an optional
 * peer dependency.
 *
 * @module settlekit/opentelemetry
 */
import { metrics, trace } from "@opentelemetry/api";
import type { MerchantClient } from "../client.ts";
import type { ConfigurationError } from "../errors.ts";
import { version } from "../runtime.ts";
import { checkOptionNames, invalidOption, show } from "../values.ts";
import type { Webhooks } from "../webhooks/index.ts";
import { instrumentClient } from "./calls.ts";
import { instrumentWebhooks } from "./deliveries.ts";
import { type AnyInbox, instrumentInbox } from "./inbox.ts";
import { type AnyPayouts, instrumentPayouts } from "./payouts.ts";
import type { InstrumentOptions, Telemetry } from "./telemetry.ts";

export type { AnyInbox, AnyPayouts, InstrumentOptions };

/** The objects that can be instrumented. */
export type Instrumentable = MerchantClient | Webhooks | AnyInbox | AnyPayouts;

/**
 * Records spans and metrics of an object from now on; docs/production.md lists them. They never contain secrets, and
 * contain order ids and addresses only with `identifiers`.
 *
 * Start the OpenTelemetry SDK first, for example with `node --import`: without a registered `MeterProvider`, there will
 * never be metrics, even if one is registered later.
 *
 * @returns A function that stops the recording.
 * @throws {ConfigurationError} when the target cannot be instrumented, or an option is invalid; `param` names it.
 * @example
 * ```ts
 * const client = new MerchantClient();
 * const webhooks = new Webhooks();
 * instrument(client);
 * instrument(webhooks);
 * ```
 */
export function instrument(target: Instrumentable, options: InstrumentOptions = {}): () => void {
  const telemetry = telemetryOf(options);
  // Not instanceof, which would load the client where only webhooks are received.
  if (!hasMethod(target, "observe")) {
    const rule = "a MerchantClient, a Webhooks instance, an inbox or a payout ledger";
    throw invalid("target", rule, target);
  }
  if ("payments" in target) return instrumentClient(target, telemetry);
  if ("parked" in target) return instrumentInbox(target, telemetry);
  if ("approve" in target) return instrumentPayouts(target, telemetry);
  return instrumentWebhooks(target, telemetry);
}

function telemetryOf(options: InstrumentOptions): Telemetry {
  checkOptionNames(options, ["tracer", "meter", "propagate", "identifiers"]);
  const {
    tracer = trace.getTracer("settlekit", version),
    meter = metrics.getMeter("settlekit", version),
    propagate = false,
    identifiers = false,
  } = options;
  if (!hasMethod(tracer, "startSpan")) throw invalid("tracer", "an OpenTelemetry Tracer", tracer);
  if (!hasMethod(meter, "createCounter")) throw invalid("meter", "an OpenTelemetry Meter", meter);
  for (const [name, value] of Object.entries({ propagate, identifiers })) {
    if (typeof value !== "boolean") throw invalid(name, "true or false", value);
  }
  return { tracer, meter, propagate, identifiers };
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof Object(value)[name] === "function";
}

function invalid(param: string, rule: string, value: unknown): ConfigurationError {
  return invalidOption(param, `${param} must be ${rule}, got ${show(value)}.`);
}
