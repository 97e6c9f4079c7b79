import type http from "node:http";
import type http2 from "node:http2";
import type {
  ALBEvent,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  LambdaFunctionURLEvent,
  LambdaFunctionURLResult,
} from "aws-lambda";
import type express from "express";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { describe, expectTypeOf, it } from "vitest";
import type { signedDelivery } from "../../src/testing/index.ts";
import {
  type FastifyContext,
  type FastifyWebhooksOptions,
  fastifyWebhooks,
} from "../../src/webhooks/fastify/index.ts";
import {
  type LambdaHandler,
  type NodeHandler,
  type PaymentEventData,
  signWebhook,
  type UnknownEventName,
  type UnknownWebhook,
  type Webhook,
  type WebhookBranches,
  type WebhookEventName,
  type WebhookInput,
  type WebhookOf,
  Webhooks,
  type WithdrawalEventData,
} from "../../src/webhooks/index.ts";

const webhooks = new Webhooks({ secret: "s" });

// Compiling is the test: `tsc` checks these, and nothing has to run.
describe("the webhook's type", () => {
  it("narrows on known names in spite of the open member", () => {
    const narrow = (webhook: Webhook) => {
      if (webhook.event === "payment.updated") {
        expectTypeOf(webhook.data).toEqualTypeOf<PaymentEventData>();
      }
      switch (webhook.event) {
        case "payment.created":
          expectTypeOf(webhook).toEqualTypeOf<WebhookOf<"payment.created">>();
          return webhook.data.orderId;
        case "payment.updated":
        case "payment.confirmed":
        case "withdrawal.created":
          return webhook.data.status;
        case "withdrawal.updated":
          expectTypeOf(webhook.data).toEqualTypeOf<WithdrawalEventData>();
          return webhook.data.status;
        // Seen in event logs, but not documented.
        case "payment.failed":
        case "payout.completed":
          expectTypeOf(webhook.data).toEqualTypeOf<Record<string, unknown>>();
          return webhook.data.anything;
        default:
          expectTypeOf(webhook).toEqualTypeOf<UnknownWebhook>();
          expectTypeOf(webhook.event).toExtend<string>();
          return webhook.data.anything;
      }
    };
    expectTypeOf(narrow).returns.toBeUnknown();
  });

  it("narrows after destructuring", () => {
    const narrow = ({ event, data }: Webhook) =>
      event === "withdrawal.updated" ? data : undefined;
    expectTypeOf(narrow).returns.toEqualTypeOf<WithdrawalEventData | undefined>();
  });

  it("gives handlers the data of their event", () => {
    webhooks
      .on("payment.updated", (webhook) => {
        expectTypeOf(webhook.data).toEqualTypeOf<PaymentEventData>();
      })
      .on("payment.confirmed", (webhook) => {
        expectTypeOf(webhook.data).toEqualTypeOf<PaymentEventData>();
      })
      .on("invoice.settled", (webhook) => {
        expectTypeOf(webhook).toEqualTypeOf<UnknownWebhook>();
        expectTypeOf<UnknownEventName>().toExtend<typeof webhook.event>();
      })
      .on("*", (webhook) => {
        expectTypeOf(webhook).toEqualTypeOf<Webhook>();
      })
      .on("withdrawal.created", async () => ({ anything: "may be returned" }));
  });
});

describe("the result of Webhooks.match", () => {
  const wait = () => {};
  const withdrawal = {
    pending: wait,
    processing: wait,
    completed: wait,
    failed: wait,
    cancelled: wait,
    unknown: wait,
  };

  it("is a union over all branches, so that a promise among them shows", () => {
    const result = (webhook: Webhook) =>
      Webhooks.match(webhook, {
        payment: {
          ...withdrawal,
          completed: async ({ data }) => expectTypeOf(data.status).toEqualTypeOf<"completed">(),
          confirmed: ({ data }) => data.orderId,
          expired: () => 7,
          refunded: wait,
          partially_refunded: wait,
        },
        withdrawal,
        unknown: ({ event }) => event === "payment.updated",
      });
    type Results = Promise<true> | string | null | number | boolean | ReturnType<typeof wait>;
    expectTypeOf(result).returns.toEqualTypeOf<Results>();
  });

  it("is a single type if all branches return it", () => {
    const result = (webhook: Webhook, branches: WebhookBranches<string>) =>
      Webhooks.match(webhook, branches);
    expectTypeOf(result).returns.toEqualTypeOf<string>();
  });
});

describe("the input's type", () => {
  it("accepts what platforms provide", () => {
    expectTypeOf<{
      body: Buffer;
      headers: http.IncomingHttpHeaders;
    }>().toExtend<WebhookInput>();
    expectTypeOf<{ body: ArrayBuffer; headers: Headers }>().toExtend<WebhookInput>();
    expectTypeOf<{ body: string; headers: Record<string, string> }>().toExtend<WebhookInput>();
    expectTypeOf<express.Request>().toExtend<WebhookInput>();
    expectTypeOf<{ body: object; headers: Headers }>().not.toExtend<WebhookInput>();
  });

  it("of nodeHandler fits node:http, HTTP/2 and Express", () => {
    expectTypeOf<NodeHandler>().toExtend<http.RequestListener>();
    expectTypeOf<NodeHandler>().toExtend<
      (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void
    >();
    expectTypeOf<NodeHandler>().toExtend<express.RequestHandler>();
  });

  it("of lambdaHandler fits API Gateway, function URLs and load balancers", () => {
    expectTypeOf<LambdaHandler>().toExtend<
      (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>
    >();
    expectTypeOf<LambdaHandler>().toExtend<
      (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>
    >();
    expectTypeOf<LambdaHandler>().toExtend<
      (event: LambdaFunctionURLEvent) => Promise<LambdaFunctionURLResult>
    >();
    expectTypeOf<LambdaHandler>().toExtend<(event: ALBEvent) => Promise<ALBResult>>();
  });

  it("of fastifyWebhooks fits Fastify", () => {
    expectTypeOf<typeof fastifyWebhooks>().toExtend<FastifyPluginAsync<FastifyWebhooksOptions>>();
    expectTypeOf<FastifyInstance>().toExtend<FastifyContext>();
    const register = (app: FastifyInstance) =>
      app.register(fastifyWebhooks, { webhooks, path: "/hooks", prefix: "/api" });
    // @ts-expect-error: the plugin needs a Webhooks.
    const incomplete = (app: FastifyInstance) => app.register(fastifyWebhooks, {});
    expectTypeOf([register, incomplete]).toBeArray();
  });

  it("of signWebhook offers the documented names, and accepts others", () => {
    type NameOf<Options> = Options extends { event: { event: infer Name } } ? Name : never;
    type Names = WebhookEventName | (string & {});
    expectTypeOf<NameOf<Parameters<typeof signWebhook>[0]>>().toEqualTypeOf<Names>();
    expectTypeOf<NameOf<Parameters<typeof signedDelivery>[0]>>().toEqualTypeOf<Names>();
  });

  it("of signWebhook knows the data of each event", () => {
    const secret = "s";
    signWebhook({ secret, event: { event: "anything.else", data: { free: "form" } } });
    // @ts-expect-error: a payment event carries status and orderId.
    signWebhook({ secret, event: { event: "payment.updated", data: { status: "completed" } } });
    // @ts-expect-error: and each of its fields has a type.
    signWebhook({ secret, event: { event: "payment.updated", data: { status: 1, orderId: "o" } } });
    // @ts-expect-error: also if it is only mentioned in the interface document.
    signWebhook({ secret, event: { event: "payment.confirmed", data: { statuss: "confirmed" } } });
    const wrong = () =>
      // @ts-expect-error: an event or a body is needed.
      signWebhook({ secret });
    expectTypeOf(wrong).toBeFunction();
  });
});
