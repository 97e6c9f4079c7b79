import fc from "fast-check";
import { expect, test } from "vitest";
import { readRetryAfter } from "../../src/http/answer.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const read = (retryAfter: string, date?: string) =>
  readRetryAfter(
    new Headers({ "retry-after": retryAfter, ...(date !== undefined && { date }) }),
    now,
  );

test("seconds are read as milliseconds", () => {
  expect(read("0")).toBe(0);
  expect(read("7")).toBe(7000);
  expect(read(" 90 ")).toBe(90_000);
  expect(read("0.5")).toBe(500);
});

test("a date means the time until then, and a past date means no wait", () => {
  expect(read("Sun, 01 Mar 2026 12:00:30 GMT")).toBe(30_000);
  expect(read("Sun, 01 Mar 2026 11:00:00 GMT")).toBe(0);
});

test("a date is compared with the service's clock if the response shows it", () => {
  expect(read("Sun, 01 Mar 2026 15:00:30 GMT", "Sun, 01 Mar 2026 15:00:00 GMT")).toBe(30_000);
});

test.each(["", "soon", "-5", "1e3", "+1", "0x10", "2026-03-01", "1, 2", "99999999999"])(
  "the value %j is ignored",
  (text) => {
    expect(read(text)).toBeUndefined();
  },
);

test("no value throws or causes a negative wait", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."0123456789 ,:.+-eGMTSunar") }), (text) => {
      const ms = read(text);
      expect(ms === undefined || ms >= 0).toBe(true);
    }),
  );
});
