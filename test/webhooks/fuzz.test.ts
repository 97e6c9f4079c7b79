import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WebhookVerificationError } from "../../src/webhooks/index.ts";
import { delivery, receiver, webCryptoReceiver } from "./deliveries.ts";
import { hostileInput, largeBodies, sizeLimit } from "./hostile-inputs.ts";
import { judge } from "./judge.ts";

// A sample on every run of the tests; `npm run check:fuzz` tries a hundred thousand.
describe("hostile input", () => {
  it("causes no error but WebhookVerificationError, and the same verdict from every receiver", async () => {
    const verdicts = new Set<string>();
    const property = fc.asyncProperty(hostileInput, async (input) => {
      verdicts.add((await judge(input)).verdict);
    });
    await fc.assert(property, { numRuns: 1500 });
    for (const verdict of ["accepted", "signature_mismatch", "invalid_json", "invalid_event"]) {
      expect(verdicts).toContain(verdict);
    }
    for (const verdict of ["missing_signature", "malformed_timestamp", "body_already_parsed"]) {
      expect(verdicts).toContain(verdict);
    }
  });

  it.each(Object.entries(largeBodies))(
    "of %s up to the size limit gets a verdict",
    async (_, bodyOf) => {
      const body = bodyOf(sizeLimit);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(sizeLimit);
      expect(Buffer.byteLength(body)).toBeGreaterThan(sizeLimit * 0.7);
      for (const webhooks of [receiver(), webCryptoReceiver()]) {
        const result = await webhooks.verify(delivery({ body })).catch((error: unknown) => error);
        if (result instanceof Error) expect(result).toBeInstanceOf(WebhookVerificationError);
        else expect(result).toMatchObject({ event: "a" });
      }
    },
  );
});
