import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/webhooks/index.ts";
import { parseTimestamp } from "../../src/webhooks/timestamp.ts";
import { delivery, now, receiver, refusal, signedAt } from "./deliveries.ts";

describe("the timestamp header", () => {
  it.each([
    ["1", 1000],
    ["0", 0],
    ["1700000000", 1_700_000_000_000],
    ["99999999999", 99_999_999_999_000],
    ["100000000000", 100_000_000_000],
    ["1700000000000", 1_700_000_000_000],
    ["99999999999999", 99_999_999_999_999],
    ["00000000001", 1000],
    ["2023-11-14T22:13:20Z", 1_700_000_000_000],
    ["2023-11-14T22:13:20.5Z", 1_700_000_000_500],
    ["2023-11-14T22:13:20.029Z", 1_700_000_000_029],
    ["2023-11-14T22:13:20.570000999Z", 1_700_000_000_570],
    ["2024-02-29T00:00:00Z", 1_709_164_800_000],
    ["2023-11-14T23:13:20+01:00", 1_700_000_000_000],
    ["2023-11-14T16:43:20.5-05:30", 1_700_000_000_500],
    ["2023-11-15T00:00:00.123456789+01:46", 1_700_000_040_123],
    ["2023-11-14T22:13:20-00:00", 1_700_000_000_000],
    ["2024-03-01T00:30:00+23:59", 1_709_166_660_000],
    ["1700000000.5", 1_700_000_000_500],
    ["1700000000.570999999", 1_700_000_000_570],
    ["1.5", 1500],
    ["99999999999.029", 99_999_999_999_029],
  ])("%s is read as %i ms", (text, timeMs) => {
    expect(parseTimestamp(text)).toBe(timeMs);
  });

  it.each([
    "1e9",
    "+1",
    "-1",
    " 1",
    "1 ",
    "1\n",
    "abc",
    "1.",
    ".5",
    "1.5.5",
    "1.1234567890",
    "170000000000.5",
    "0x10",
    "1_000",
    "1,2",
    "1, 1",
    "١٢٣",
    "１２",
    "NaN",
    "Infinity",
    "123456789012345",
    "2023-11-14",
    "2023-11-14T22:13:20",
    "2023-11-14T22:13Z",
    "2023-11-14 22:13:20Z",
    "2023-11-14T22:13:20z",
    "2023-11-14T22:13:20+0100",
    "2023-11-14T22:13:20+01",
    "2023-11-14T22:13:20+24:00",
    "2023-11-14T22:13:20+01:60",
    "2023-11-14T22:13:20 01:00",
    "2023-11-14T22:13:20Z+01:00",
    "2023-02-29T23:00:00+01:00",
    "2023-11-14T22:13:20.Z",
    "2023-11-14T22:13:20,5Z",
    "2023-11-14T22:13:20.1234567890Z",
    "2023-02-29T00:00:00Z",
    "2023-02-30T00:00:00Z",
    "2023-13-01T00:00:00Z",
    "2023-11-14T24:00:00Z",
    "2023-11-14T23:59:60Z",
    "+02023-11-14T22:13:20Z",
    "Tue, 14 Nov 2023 22:13:20 GMT",
  ])("%j is malformed", (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
    expect(refusal(receiver(), delivery({ timestampText: text }))).toBe("malformed_timestamp");
  });

  it("counts as missing if it is absent or empty", () => {
    const { body, headers } = delivery();
    for (const value of [undefined, ""]) {
      const input = { body, headers: { ...headers, "x-service-timestamp": value } };
      expect(refusal(receiver(), input)).toBe("missing_timestamp");
    }
  });

  it("is read exactly from the ISO 8601 text of any date", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0000-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        (date) => {
          expect(parseTimestamp(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });

  it("is signed as its exact text: the same time written differently does not match", () => {
    const { body, headers } = delivery({ timestampText: "1700000000" });
    for (const text of ["01700000000", "1700000000000", "2023-11-14T22:13:20Z"]) {
      const input = { body, headers: { ...headers, "x-service-timestamp": text } };
      expect(refusal(receiver(), input)).toBe("signature_mismatch");
    }
  });
});

describe("a delivery's age", () => {
  const aged = (ageMs: number) =>
    refusal(
      receiver({ now: () => new Date(signedAt.getTime() + ageMs) }),
      delivery({ timestampText: String(signedAt.getTime()) }),
    );

  it("may be toleranceSeconds in either direction, to the millisecond", () => {
    expect(aged(300_000)).toBeUndefined();
    expect(aged(300_001)).toBe("timestamp_too_old");
    expect(aged(-300_000)).toBeUndefined();
    expect(aged(-300_001)).toBe("timestamp_too_new");
  });

  it("is not checked with an infinite tolerance", () => {
    const patient = receiver({ toleranceSeconds: Number.POSITIVE_INFINITY });
    for (const timestampText of ["1", "99999999999"]) {
      expect(refusal(patient, delivery({ timestampText }))).toBeUndefined();
    }
  });

  it("must be exactly 0 with a tolerance of 0", () => {
    const strict = receiver({ toleranceSeconds: 0 });
    expect(refusal(strict, delivery())).toBeUndefined();
    expect(refusal(strict, delivery({ timestampText: "1700000001" }))).toBe("timestamp_too_new");
  });

  it("is checked before anything that costs more", () => {
    for (const stale of [
      delivery({ timestampText: "1", key: "another secret" }),
      delivery({ timestampText: "1", body: "no JSON" }),
      { ...delivery({ timestampText: "1" }), body: {} as string },
    ]) {
      expect(refusal(receiver(), stale)).toBe("timestamp_too_old");
    }
  });

  it("is reported to the millisecond, with the tolerance and the clock that is likely wrong", () => {
    const verify = (timestampText: string) => () =>
      receiver().verifySync(delivery({ timestampText }));
    expect(verify("1699999699.5")).toThrow(
      "The delivery's timestamp is 300.5 seconds in the past, and toleranceSeconds is 300. If a sandbox with a frozen clock sent it, pass now: sandbox.clock.now. Check this machine's clock.",
    );
    expect(verify("1700001000")).toThrow(
      "The delivery's timestamp is 1000 seconds in the future, and toleranceSeconds is 300. If a sandbox with a frozen clock sent it, pass now: sandbox.clock.now. Check this machine's clock.",
    );
  });

  it("causes an error if the clock returns an invalid date", () => {
    const broken = receiver({ now: () => new Date(Number.NaN) });
    expect(() => broken.verifySync(delivery())).toThrow(ConfigurationError);
  });

  it("is measured by the system's clock unless another one is given", () => {
    const seconds = String(Math.floor(Date.now() / 1000));
    expect(refusal(receiver({ now: undefined }), delivery({ timestampText: seconds }))).toBe(
      undefined,
    );
    expect(now().getTime()).toBeLessThan(Date.now());
    expect(refusal(receiver({ now: undefined }), delivery())).toBe("timestamp_too_old");
  });
});
