import { describe, expect, it, vi } from "vitest";
import { signedDelivery } from "../../src/testing/index.ts";
import type { LambdaEvent, WebhooksOptions } from "../../src/webhooks/index.ts";
import { paymentUpdated, receiver, secret, timestamp } from "./deliveries.ts";

// Refusals are logged by default.
vi.spyOn(console, "warn").mockReturnValue();

const delivery = signedDelivery({ event: paymentUpdated, secret, timestamp });
const answer = (event: unknown, options: WebhooksOptions = {}) =>
  receiver(options).lambdaHandler()(event as LambdaEvent);

describe("the Lambda handler", () => {
  // AWS requires all these fields in a response to a load balancer; gateways and function URLs accept them, too.
  it("answers with a status, headers, an empty body and its encoding", async () => {
    const plain = { body: "", isBase64Encoded: false };
    expect(await answer(delivery.lambdaV1())).toEqual({ ...plain, statusCode: 200, headers: {} });
    const get = { ...delivery.lambdaV2(), requestContext: { http: { method: "GET" } } };
    expect(await answer(get)).toEqual({ ...plain, statusCode: 405, headers: { Allow: "POST" } });
  });

  it.each([
    ["headers alone, as some load balancers send", { multiValueHeaders: undefined }],
    ["multiValueHeaders alone, as other load balancers send", { headers: undefined }],
    ["null for multiValueHeaders", { multiValueHeaders: null }],
    ["no entry in multiValueHeaders, as in many test events", { multiValueHeaders: {} }],
    ["no isBase64Encoded", { isBase64Encoded: undefined }],
  ])("accepts an event with %s", async (_, change) => {
    expect((await answer({ ...delivery.lambdaV1(), ...change })).statusCode).toBe(200);
  });

  it("refuses two signatures, of which `headers` has only the last", async () => {
    const event = delivery.lambdaV1();
    const name = "X-Service-Signature";
    const twice = ["0".repeat(64), ...(event.multiValueHeaders[name] ?? [])];
    const multiValueHeaders = { ...event.multiValueHeaders, [name]: twice };
    const onError = vi.fn();
    const given = { ...event, multiValueHeaders };
    expect((await answer(given, { onError })).statusCode).toBe(401);
    expect(onError.mock.lastCall?.[0]).toMatchObject({ reason: "malformed_signature" });
  });

  it.each([
    ["null", null, {}],
    ["undefined", undefined, {}],
    ["null in base64", null, { isBase64Encoded: true }],
    ["empty", "", {}],
  ])("treats a body that is %s as empty", async (_, body, change) => {
    const onError = vi.fn();
    const { headers } = signedDelivery({ body: "", secret, timestamp });
    const event = { httpMethod: "POST", headers, body, ...change };
    expect((await answer(event, { onError })).statusCode).toBe(400);
    expect(onError.mock.lastCall?.[0]).toMatchObject({ reason: "invalid_json" });
  });

  it("limits the size of the bytes, not of their base64", async () => {
    const event = delivery.lambdaV2({ base64: true });
    const { length } = Buffer.from(delivery.body);
    expect(event.body.length).toBeGreaterThan(length);
    expect((await answer(event, { maxBodyBytes: length })).statusCode).toBe(200);
    expect((await answer(event, { maxBodyBytes: length - 1 })).statusCode).toBe(413);
  });

  it("refuses malformed base64 as a wrong signature", async () => {
    const event = { ...delivery.lambdaV2({ base64: true }), body: "%%% no base64 %%%" };
    expect((await answer(event)).statusCode).toBe(401);
  });

  it.each([false, true])(
    "names the cure for a parsed body, with base64 %s",
    async (isBase64Encoded) => {
      const onError = vi.fn();
      const event = { ...delivery.lambdaV2(), body: JSON.parse(delivery.body), isBase64Encoded };
      expect((await answer(event, { onError })).statusCode).toBe(500);
      expect(onError.mock.lastCall?.[0]).toMatchObject({
        reason: "body_already_parsed",
        message: expect.stringContaining("Remove the middleware that parses event.body"),
      });
    },
  );

  it("refuses events without headers", async () => {
    expect((await answer({ httpMethod: "POST", headers: null, body: "{}" })).statusCode).toBe(401);
  });

  it.each([
    ["of a queue", { Records: [{ body: delivery.body }] }],
    [
      "of a WebSocket",
      { requestContext: { connectionId: "c1", routeKey: "$default" }, body: "{}" },
    ],
    ["that is absent", undefined],
    ["that is null", null],
  ])(
    "throws for an event %s, which is not a request, so that a queue keeps it",
    async (_, event) => {
      const error = { name: "ConfigurationError", code: "invalid_option", param: "event" };
      await expect(answer(event)).rejects.toMatchObject({
        ...error,
        message: expect.stringMatching(
          /^The event has no HTTP method\. If it is from a queue, pass .* to verify\(\)\.$/,
        ),
      });
    },
  );
});
