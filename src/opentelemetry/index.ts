/**
 * Spans and metrics of clients, webhooks, inboxes and payouts, by OpenTelemetry. Needs `@opentelemetry/api`, an optional peer.
 *
 * @module settlekit/opentelemetry
 */
import { metrics, trace } from "@opentelemetry/api";
import type { MerchantClient } from "../client.ts";
import { version } from "../runtime.ts";
import { checkOptionNames } from "../values.ts";
import type { Webhooks } from "../webhooks/index.ts";
import { instrumentClient } from "./calls.ts";
import { instrumentWebhooks } from "./deliveries.ts";
import { type AnyInbox, instrumentInbox } from "./inbox.ts";
import { type AnyPayouts, instrumentPayouts } from "./payouts.ts";
import type { InstrumentOptions } from "./telemetry.ts";

export type { AnyInbox, AnyPayouts, InstrumentOptions };

/** What can be instrumented. */
export type Instrumentable = MerchantClient | Webhooks | AnyInbox | AnyPayouts;

/**
 * Makes spans and metrics of what an object does from now on; docs/production.md lists them. None contains a secret,
 * and unless asked, none contains an order id or an address.
 *
 * @returns A function that ends it.
 * @example
 * ```ts
 * const client = new MerchantClient();
 * const webhooks = new Webhooks();
 * instrument(client);
 * instrument(webhooks);
 * ```
 */
export function instrument(target: Instrumentable, options: InstrumentOptions = {}): () => void {
  checkOptionNames(options, ["tracer", "meter", "propagate", "identifiers"]);
  const {
    tracer = trace.getTracer("settlekit", version),
    meter = metrics.getMeter("settlekit", version),
    propagate = false,
    identifiers = false,
  } = options;
  const telemetry = { tracer, meter, propagate, identifiers };
  // Not by instanceof, which would load the client where only webhooks are received.
  if ("payments" in target) return instrumentClient(target, telemetry);
  if ("parked" in target) return instrumentInbox(target, telemetry);
  if ("approve" in target) return instrumentPayouts(target, telemetry);
  return instrumentWebhooks(target, telemetry);
}
