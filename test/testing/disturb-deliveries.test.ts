import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Disturbance, disturbDeliveries, signedDelivery } from "../../src/testing/index.ts";
import { signWebhook, Webhooks, WebhookVerificationError } from "../../src/webhooks/index.ts";

const secret = "whsec_t0p";
const timestamp = 1_700_000_000;
const webhooks = new Webhooks({ secret, now: () => new Date(timestamp * 1000) });
const deliveries = Array.from({ length: 40 }, (_, index) =>
  signedDelivery({
    event: { event: "payment.updated", data: { status: "completed", orderId: `order_${index}` } },
    secret,
    timestamp,
  }),
);
const anyDisturbance: fc.Arbitrary<Disturbance> = fc.record({
  seed: fc.oneof(fc.integer(), fc.string()),
  duplicate: fc.double({ min: 0, max: 1, noNaN: true }),
  reorder: fc.boolean(),
  maxDelayMs: fc.constantFrom(0, 1, 60_000),
  tamper: fc.double({ min: 0, max: 1, noNaN: true }),
  wrongSecret: fc.double({ min: 0, max: 1, noNaN: true }),
  staleTimestamp: fc.double({ min: 0, max: 1, noNaN: true }),
  secret: fc.constant(secret),
});

describe("disturbed deliveries", () => {
  it("are the given ones, in order, if no disturbance is requested", () => {
    const expected = deliveries.map(({ body, headers }, index) => {
      return { body, headers, index, isDuplicate: false, tampered: undefined, delayMs: 0 };
    });
    expect(disturbDeliveries(deliveries, { seed: 1 })).toEqual(expected);
  });

  it("are the same for the same seed, and differ for another", () => {
    const disturb = (seed: string | number) =>
      disturbDeliveries(deliveries, {
        seed,
        duplicate: 0.5,
        reorder: true,
        maxDelayMs: 1000,
        tamper: 0.5,
      });
    expect(disturb(1)).toEqual(disturb(1));
    expect(disturb("a")).toEqual(disturb("a"));
    const different = new Set([1, 2, "1", "a", "b"].map((seed) => JSON.stringify(disturb(seed))));
    expect(different.size).toBe(5);
  });

  it("include every delivery unchanged once, and once more if it is duplicated", () => {
    fc.assert(
      fc.property(anyDisturbance, (disturbance) => {
        const disturbed = disturbDeliveries(deliveries, disturbance);
        for (const [index, { body, headers }] of deliveries.entries()) {
          const authentic = disturbed.filter((it) => it.index === index && !it.tampered);
          for (const it of authentic) expect(it).toMatchObject({ body, headers });
          const duplicates = authentic.filter(({ isDuplicate }) => isDuplicate);
          expect(authentic.length - duplicates.length).toBe(1);
          expect(duplicates.length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("mark the one that is sent second as the duplicate, in any order", () => {
    const disturbance = { seed: 7, duplicate: 1, reorder: true, maxDelayMs: 1_000, tamper: 0.5 };
    const authentic = disturbDeliveries(deliveries, disturbance).filter((it) => !it.tampered);
    for (const index of deliveries.keys()) {
      const both = authentic.filter((it) => it.index === index);
      expect(both.map(({ isDuplicate }) => isDuplicate)).toEqual([false, true]);
    }
  });

  it("are all accepted except the forged ones, which never are", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyDisturbance, (disturbance) => {
        for (const it of disturbDeliveries(deliveries, disturbance)) {
          if (it.tampered === undefined) {
            expect(webhooks.verifySync(it).event).toBe("payment.updated");
            continue;
          }
          seen.add(it.tampered);
          expect(() => webhooks.verifySync(it)).toThrow(WebhookVerificationError);
        }
      }),
      { numRuns: 50 },
    );
    expect([...seen].sort()).toEqual([
      "body",
      "signature",
      "stale-timestamp",
      "timestamp",
      "wrong-secret",
    ]);
  });

  it("are refused as too old, or as signed with another secret, if they are forged that way", () => {
    for (const [option, reason] of [
      ["staleTimestamp", "timestamp_too_old"],
      ["wrongSecret", "signature_mismatch"],
    ] as const) {
      const disturbed = disturbDeliveries(deliveries, { seed: 1, [option]: 1, secret });
      const forged = disturbed.filter(({ tampered }) => tampered !== undefined);
      expect(forged).toHaveLength(deliveries.length);
      for (const it of forged) {
        expect(() => webhooks.verifySync(it)).toThrow(expect.objectContaining({ reason }));
      }
    }
  });

  it("are signed again under the header prefix that they came with", () => {
    const acme = signWebhook({ body: "{}", secret, headerPrefix: "X-Acme", timestamp });
    const [forged] = disturbDeliveries([acme], { seed: 1, staleTimestamp: 1, secret });
    expect(Object.keys(forged?.headers ?? {}).sort()).toEqual(Object.keys(acme.headers).sort());
  });

  it("cannot be signed again without the secret, which the error says", () => {
    expect(() => disturbDeliveries(deliveries, { seed: 1, staleTimestamp: 0.5 })).toThrow(
      expect.objectContaining({ name: "ConfigurationError", param: "secret" }),
    );
  });

  it("are a list, and not of events or requests: those have no signed text to send", () => {
    const event = { event: "payment.updated", data: {} };
    const request = deliveries[0]?.request("https://shop.example");
    for (const given of [undefined, deliveries[0], [undefined], [event], [request]]) {
      expect(() => disturbDeliveries(given as never, { seed: 1 })).toThrow(
        expect.objectContaining({ name: "ConfigurationError", param: "deliveries" }),
      );
    }
  });

  it("are forged in the body if there is no signature to forge", () => {
    for (const it of disturbDeliveries([{ body: "😀", headers: {} }], { seed: 3, tamper: 1 })) {
      expect(it.tampered ? "0" : "😀").toBe(it.body);
    }
    const [forged] = disturbDeliveries([{ body: "", headers: {} }], { seed: 3, tamper: 1 });
    expect(forged).toMatchObject({ tampered: "body", body: "0" });
  });

  it("have the requested shares of duplicates, forgeries and reordering", () => {
    const many = Array.from({ length: 2000 }, () => ({ body: "x", headers: {} }));
    const disturbed = disturbDeliveries(many, { seed: "shares", duplicate: 0.25, tamper: 0.1 });
    const share = (count: number) => count / many.length;
    expect(share(disturbed.filter((it) => it.isDuplicate).length)).toBeCloseTo(0.25, 1);
    expect(share(disturbed.filter((it) => it.tampered).length)).toBeCloseTo(0.1, 1);
    const reordered = disturbDeliveries(many, { seed: "shares", reorder: true });
    const early = reordered.slice(0, 1000).filter(({ index }) => index < 1000).length;
    expect(share(early)).toBeCloseTo(0.25, 1);
  });

  it("are sorted by their delays, which reach up to the limit", () => {
    const disturbed = disturbDeliveries(deliveries, { seed: 1, maxDelayMs: 10_000 });
    const delays = disturbed.map(({ delayMs }) => delayMs);
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(delays[0]).toBeLessThan(2000);
    expect(delays.at(-1)).toBeGreaterThan(8000);
    expect(delays.at(-1)).toBeLessThanOrEqual(10_000);
    expect(disturbed.map(({ index }) => index)).not.toEqual([...deliveries.keys()]);
  });

  it.each([
    [{ seed: 1, reoder: true }, 'There is no option "reoder". Did you mean reorder?'],
    [{ seed: 1, tamper: -0.1 }, "The option tamper must be a share from 0 to 1."],
    [{ seed: 1, maxDelayMs: Number.NaN }, "The option maxDelayMs must be 0 milliseconds or more."],
    [{ seed: {} }, "The option seed must be a string or a number."],
    [{ tamper: 1 }, "The option seed must be a string or a number."],
    [undefined, "The options must be an object"],
  ])("are not made with %o", (wrong, message) => {
    expect(() => disturbDeliveries(deliveries, wrong as Disturbance)).toThrow(message);
  });
});
