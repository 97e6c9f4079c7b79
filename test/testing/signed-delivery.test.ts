import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import {
  type LambdaV1Event,
  type LambdaV2Event,
  type SignedDelivery,
  signedDelivery,
} from "../../src/testing/index.ts";
import { signWebhook, Webhooks } from "../../src/webhooks/index.ts";

const secret = "whsec_t0p";
const timestamp = 1_700_000_000;
const event = {
  event: "payment.updated",
  data: { status: "completed", orderId: "order_é_1" },
} as const;
const webhooks = new Webhooks({ secret, now: () => new Date(timestamp * 1000) });

describe("a signed delivery", () => {
  const delivery = signedDelivery({ event, secret, timestamp });

  it("is signed as by signWebhook", () => {
    const { body, headers } = signWebhook({ event, secret, timestamp });
    expect([delivery.body, delivery.headers]).toEqual([body, headers]);
  });

  it("is accepted as a Web Request", async () => {
    const request = delivery.request("https://shop.example/webhooks");
    expect([request.method, request.headers.get("content-type")]).toEqual([
      "POST",
      "application/json",
    ]);
    expect(await webhooks.verify(request)).toMatchObject(event);
  });

  it("is accepted as the headers and bytes from node:http", () => {
    const { method, headers, body } = delivery.node();
    expect(method).toBe("POST");
    expect(Object.keys(headers)).toEqual([
      "content-type",
      "x-service-signature",
      "x-service-timestamp",
    ]);
    expect(body).toBeInstanceOf(Buffer);
    expect(webhooks.verifySync({ headers, body })).toMatchObject(event);
  });

  it.each<[string, LambdaV1Event | LambdaV2Event]>([
    ["of payload format 1.0", delivery.lambdaV1()],
    ["of payload format 1.0 in base64", delivery.lambdaV1({ base64: true })],
    ["of payload format 2.0", delivery.lambdaV2()],
    ["of payload format 2.0 in base64", delivery.lambdaV2({ base64: true })],
  ])("is accepted as a Lambda event %s", async (name, given) => {
    const handler = vi.fn();
    const receiver = new Webhooks({ secret, now: () => new Date(timestamp * 1000) });
    const handle = receiver.on("payment.updated", handler).lambdaHandler();
    expect(await handle(given)).toMatchObject({ statusCode: 200, headers: {} });
    expect(handler).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(event));
    expect(given.isBase64Encoded).toBe(name.includes("base64"));
    expect(given.body.startsWith("{")).toBe(!given.isBase64Encoded);
  });

  it("has fields of the same types as Lambda's own events", () => {
    type Common<Ours, Theirs> = Pick<Theirs, Extract<keyof Ours, keyof Theirs>>;
    expectTypeOf<Omit<LambdaV1Event, never>>().toExtend<
      Common<LambdaV1Event, APIGatewayProxyEvent>
    >();
    expectTypeOf<LambdaV1Event>().toExtend<Common<LambdaV1Event, Omit<ALBEvent, never>>>();
    expectTypeOf<Omit<LambdaV2Event, "requestContext">>().toExtend<
      Common<Omit<LambdaV2Event, "requestContext">, APIGatewayProxyEventV2>
    >();
    expect(delivery.lambdaV2({ path: "/hooks" })).toMatchObject({
      version: "2.0",
      rawPath: "/hooks",
      requestContext: { http: { method: "POST", path: "/hooks" } },
    });
    expect(delivery.lambdaV1({ path: "/hooks" })).toMatchObject({
      httpMethod: "POST",
      path: "/hooks",
    });
  });

  it("includes the unsigned identifiers that it is given", () => {
    const hints = { endpointId: "we_1", eventId: "evt_1", deliveryId: "del_1" };
    const given: SignedDelivery = signedDelivery({ event, secret, timestamp, hints });
    expect(webhooks.verifySync(given).hints).toEqual(hints);
    const { deliveryId } = hints;
    const one = signedDelivery({ event, secret, timestamp, hints: { deliveryId } });
    expect(webhooks.verifySync(one.node()).hints).toEqual({ deliveryId });
  });

  it("accepts every option of signWebhook", () => {
    const headerPrefix = "X-Pay";
    const given = signedDelivery({
      body: "no event",
      secret,
      timestamp: "not a time",
      headerPrefix,
      hints: { eventId: "e" },
    });
    expect(given.body).toBe("no event");
    expect(Object.keys(given.headers)).toEqual([
      "Content-Type",
      "X-Pay-Signature",
      "X-Pay-Timestamp",
      "X-Pay-Event-Id",
    ]);
    expect(() => signedDelivery({ event, secret: "" })).toThrow("The option secret must be");
  });
});
