import { describe, expect, test } from "vitest";
import {
  instantFrom,
  isLoopback,
  portFrom,
  secondsFrom,
  urlFrom,
} from "../../src/cli/arguments/option-values.ts";

describe("option values", () => {
  test("a port is a whole number up to 65535", () => {
    expect([portFrom(undefined, 4010), portFrom("0", 1), portFrom("65535", 1)]).toEqual([
      4010, 0, 65_535,
    ]);
    for (const text of ["", "65536", "-1", "1.5", "0x10", "1e3", " 80"]) {
      expect(() => portFrom(text, 1)).toThrow(/--port must be/);
    }
  });

  test("a URL is whole, and http or https", () => {
    expect(urlFrom("--to", "http://127.0.0.1:3000/a?b=c").href).toBe("http://127.0.0.1:3000/a?b=c");
    for (const text of ["", "localhost:3000", "/webhooks", "ftp://a/", "javascript:alert(1)"]) {
      expect(() => urlFrom("--to", text)).toThrow(/--to must be a whole http or https URL/);
    }
  });

  test("seconds may be without end, but not negative", () => {
    expect([secondsFrom("--t", "0"), secondsFrom("--t", "Infinity")]).toEqual([
      0,
      Number.POSITIVE_INFINITY,
    ]);
    for (const text of ["", " ", "-1", "5m", "NaN"])
      expect(() => secondsFrom("--t", text)).toThrow();
  });

  test("a time means the same on every machine", () => {
    expect(instantFrom("--now", "2026-01-01").toISOString()).toBe("2026-01-01T00:00:00.000Z");
    expect(instantFrom("--now", "2026-01-01T01:30+02:00").toISOString()).toBe(
      "2025-12-31T23:30:00.000Z",
    );
    expect(instantFrom("--now", "2028-02-29").getUTCDate()).toBe(29);
    for (const text of ["2026-01-01T00:00", "1", "tomorrow", "2026-13-01", "01/02/2026"]) {
      expect(() => instantFrom("--now", text)).toThrow(/--now must be a date/);
    }
    for (const text of ["2026-02-30", "2026-02-29T12:00:00Z", "2026-04-31", "2026-01-00"]) {
      expect(() => instantFrom("--now", text)).toThrow(/--now must be a date/);
    }
  });

  test("only this machine's own addresses are out of reach for others", () => {
    expect(["127.0.0.1", "127.9.9.9", "localhost", "::1"].every(isLoopback)).toBe(true);
    expect(["0.0.0.0", "::", "192.168.0.4", "127.example.com", ""].some(isLoopback)).toBe(false);
  });
});
