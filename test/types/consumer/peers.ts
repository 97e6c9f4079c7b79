// With the optional peers, and the framework that has a plugin.

import { metrics, trace } from "@opentelemetry/api";
import Fastify from "fastify";
import { setupServer } from "msw/node";
import { MerchantClient, type Payment } from "settlekit";
import { instrument } from "settlekit/opentelemetry";
import { createSandbox } from "settlekit/sandbox";
import { paymentSchema } from "settlekit/schemas";
import { sandboxHandlers } from "settlekit/testing/msw";
import { Webhooks } from "settlekit/webhooks";
import { fastifyWebhooks } from "settlekit/webhooks/fastify";

export const payment: Payment = paymentSchema.parse(JSON.parse("{}"));
export const { amountInCents } = paymentSchema.pick({ amountInCents: true }).parse({});
// @ts-expect-error payments have no such field
paymentSchema.pick({ amount: true });

export const mocked = setupServer(...sandboxHandlers(createSandbox()));
export const app = Fastify();
app.register(fastifyWebhooks, { webhooks: new Webhooks({ secret: "s" }), path: "/webhooks" });
// @ts-expect-error the plugin needs a verifier
app.register(fastifyWebhooks, { path: "/webhooks" });

export const tracer = trace.getTracer("shop");
export const stop: () => void = instrument(new MerchantClient(), { tracer });
instrument(new Webhooks({ secret: "s" }), { meter: metrics.getMeter("shop"), identifiers: true });
// @ts-expect-error only settlekit's own objects
instrument({}, { tracer });
