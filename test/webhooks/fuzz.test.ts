import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type WebhookInput, WebhookVerificationError } from "../../src/webhooks/index.ts";
import { delivery, receiver, signedAt, webCryptoReceiver } from "./deliveries.ts";

const numRuns = Number(process.env.SETTLEKIT_FUZZ_RUNS ?? 500);
const names = ["x-service-signature", "X-Service-Timestamp", "x-service-id", "__proto__", "get"];

const headerText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.stringMatching(/^[0-9a-fA-F]{64}$/),
  fc.integer().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constant(String(signedAt.getTime())),
);
const anyHeaders = fc.oneof(
  fc.dictionary(
    fc.oneof(fc.constantFrom(...names), fc.string()),
    fc.oneof(headerText, fc.anything()),
  ),
  fc.dictionary(fc.constantFrom(...names.slice(0, 2)), headerText).map((entries) => ({
    "x-service-signature": "0".repeat(64),
    "x-service-timestamp": "1700000000",
    ...entries,
  })),
  fc.anything(),
);
const anyBody = fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array(), fc.json(), fc.anything());
const anyInput = fc.oneof(fc.record({ body: anyBody, headers: anyHeaders }), fc.anything());

describe("hostile input throws nothing but WebhookVerificationError", () => {
  it.each([
    ["without a reader of causes", receiver()],
    ["with one", receiver({ onError: () => undefined })],
    ["with WebCrypto", webCryptoReceiver({ onError: () => undefined })],
  ])("and is never accepted unsigned, %s", async (_, webhooks) => {
    const property = fc.asyncProperty(anyInput, async (input) => {
      const thrown = await webhooks.verify(input as WebhookInput).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(WebhookVerificationError);
    });
    await fc.assert(property, { numRuns });
  });

  it("not even when it is signed", async () => {
    const webhooks = [receiver(), webCryptoReceiver()];
    const signedBody = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc.object().map((data) => {
        const event = { event: "a", data: JSON.parse(JSON.stringify({ ...data })) };
        return Buffer.from(JSON.stringify(event));
      }),
    );
    const property = fc.asyncProperty(signedBody, headerText, async (body, timestampText) => {
      const input = delivery({ body, timestampText });
      for (const each of webhooks) {
        const result = await each.verify(input).catch((error: unknown) => error);
        if (result instanceof Error) expect(result).toBeInstanceOf(WebhookVerificationError);
        else expect(result).toMatchObject({ secretIndex: 0 });
      }
    });
    await fc.assert(property, { numRuns });
  });
});
