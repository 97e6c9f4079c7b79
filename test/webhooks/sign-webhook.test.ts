import { describe, expect, it } from "vitest";
import { signWebhook, Webhooks } from "../../src/webhooks/index.ts";
import { delivery, hmacHex, paymentUpdated, receiver, secret, timestamp } from "./deliveries.ts";

const event = paymentUpdated;

describe("signWebhook", () => {
  it("signs as the service does", () => {
    const { body, headers } = signWebhook({ event, secret, timestamp });
    expect(body).toBe(
      '{"event":"payment.updated","data":{"status":"completed","orderId":"order_1"}}',
    );
    expect(headers).toEqual({
      "Content-Type": "application/json",
      "X-Service-Signature": hmacHex(secret, `${timestamp}.${body}`),
      "X-Service-Timestamp": timestamp,
    });
    expect(receiver().verifySync({ body, headers })).toMatchObject(event);
  });

  it("signs the current time unless another is given", () => {
    const webhooks = new Webhooks({ secret, toleranceSeconds: 5 });
    expect(webhooks.verifySync(signWebhook({ event, secret }))).toMatchObject(event);
  });

  it.each<[Date | string | number, string]>([
    [new Date(1_700_000_000_999), "1700000000"],
    [1_700_000_000, "1700000000"],
    [1_700_000_000_123, "1700000000123"],
    ["2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z"],
    ["not a time", "not a time"],
  ])("sends the timestamp %o as %s", (given, text) => {
    const { body, headers } = signWebhook({ event, secret, timestamp: given });
    expect(headers["X-Service-Timestamp"]).toBe(text);
    expect(headers["X-Service-Signature"]).toBe(hmacHex(secret, `${text}.${body}`));
  });

  it("makes a Web Request that a receiver accepts", async () => {
    const request = signWebhook({ event, secret, timestamp }).request("https://shop.example/hooks");
    expect([request.method, request.url]).toEqual(["POST", "https://shop.example/hooks"]);
    expect(request.headers.get("content-type")).toBe("application/json");
    expect(await receiver().verify(request)).toMatchObject(event);
  });

  it("makes several Requests of one delivery, which are replays", async () => {
    const signed = signWebhook({ event, secret, timestamp });
    const [first, second] = await Promise.all(
      [1, 2].map(() => receiver().verify(signed.request(new URL("https://shop.example")))),
    );
    expect(second?.deliveryKey).toBe(first?.deliveryKey);
  });

  it("adds the unsigned identifiers that it is given, and refuses others", () => {
    const hints = { endpointId: "we_1", deliveryId: "del_1" };
    const signed = signWebhook({ event, secret, timestamp, headerPrefix: "X-Pay", hints });
    expect(signed.headers).toMatchObject({ "X-Pay-Id": "we_1", "X-Pay-Delivery-Id": "del_1" });
    expect(receiver({ headerPrefix: "X-Pay" }).verifySync(signed).hints).toEqual(hints);
    const misspelt = { deliverId: "del_1" } as never;
    expect(() => signWebhook({ event, secret, hints: misspelt })).toThrow(
      "Did you mean deliveryId?",
    );
  });

  it("signs any text in place of an event", () => {
    const signed = signWebhook({ body: "é\n", secret, timestamp });
    expect(signed.body).toBe("é\n");
    expect(signed.headers["X-Service-Signature"]).toBe(
      delivery({ body: "é\n" }).headers["x-service-signature"],
    );
  });

  it("accepts a secret in bytes and another header prefix", () => {
    const key = new Uint8Array([0, 255]);
    const { headers } = signWebhook({ event, secret: key, timestamp, headerPrefix: "X-Pay" });
    const webhooks = receiver({ secret: key, headerPrefix: "x-pay" });
    const { body } = delivery();
    expect(webhooks.verifySync({ body, headers })).toMatchObject(event);
  });

  it.each([
    ["secret", { event, secret: "" }],
    ["secret", { event, secret: undefined as unknown as string }],
    ["secret", { event, secret: [secret] as unknown as string }],
    ["headerPrefix", { event, secret, headerPrefix: "a b" }],
    ["event", { secret } as { event: typeof event; secret: string }],
    ["event", { secret, event: "payment.updated" as unknown as typeof event }],
    ["body", { secret, body: Buffer.from("{}") as unknown as string }],
    ["timestamp", { secret, event, timestamp: new Date(Number.NaN) }],
    ["timestamp", { secret, event, timestamp: Number.NaN }],
  ])("refuses an invalid %s", (param, options) => {
    expect(() => signWebhook(options)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", param }),
    );
  });
});
