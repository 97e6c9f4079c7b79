import { expect, onTestFinished, test, vi } from "vitest";
import {
  canonicalJson,
  environmentVariable,
  nearest,
  show,
  thrownText,
  timeOf,
} from "../src/values.ts";

test.each([
  ["2026-01-01T12:00:00.123Z", "2026-01-01T12:00:00.123Z"],
  ["2026-01-01T12:00:00.123", "2026-01-01T12:00:00.123Z"],
  ["2026-01-01T12:00:00", "2026-01-01T12:00:00.000Z"],
  ["2026-01-01 12:00:00", "2026-01-01T12:00:00.000Z"],
  ["2026-01-01T12:00:00.123456789", "2026-01-01T12:00:00.123Z"],
  ["2026-01-01T12:00:00+02:00", "2026-01-01T10:00:00.000Z"],
  ["2026-01-01T12:00:00-05:00", "2026-01-01T17:00:00.000Z"],
  ["2026-01-01", "2026-01-01T00:00:00.000Z"],
  ["soon", null],
  ["", null],
  [1_767_225_600_000, null],
  [null, null],
])("timeOf reads %j as %s in every time zone", (timestamp, iso) => {
  vi.stubEnv("TZ", "America/New_York");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(new Date(timeOf(timestamp)).toJSON()).toBe(iso);
});

test.each([
  ["text", '"text"'],
  ["", "an empty string"],
  ["x".repeat(300), `"${"x".repeat(60)}"... (300 characters)`],
  ["a\nb", '"a\\nb"'],
  ["use sk_test_a1b2, or whsec_c3/d+e==", '"use sk_[redacted], or whsec_[redacted]"'],
  ["ps_0123456789abcdef", '"ps_[redacted]"'],
  ["keys start with sk_test_; sk_", '"keys start with sk_test_; sk_"'],
  [10n ** 30n, `1${"0".repeat(30)}n`],
  [Number.NaN, "NaN"],
  [undefined, "undefined"],
  [null, "null"],
  [[1], "an array"],
  [{ secret: "s" }, "an object"],
  [Object.create(null), "an object"],
  [new Map(), "a Map"],
  [new Error("boom"), "an Error"],
  [new URL("https://a.example"), "a URL"],
  [new URLSearchParams(), "a URLSearchParams"],
  [new Uint8Array(), "a Uint8Array"],
  [new (class HTTPClient {})(), "an HTTPClient"],
  [new (class Unknown {})(), "an Unknown"],
  [new (class SDK {})(), "an SDK"],
  [new (class Shop {})(), "a Shop"],
  [() => "s", "a function"],
])("show prints %o as %s", (value, shown) => {
  expect(show(value)).toBe(shown);
});

test.each([
  ["no", "no"],
  [undefined, "undefined"],
  [new TypeError("no"), "TypeError: no"],
  [{ message: "no" }, "no"],
  [Object.create(null), "an object"],
])("the thrown value %j is reported as %s", (thrown, text) => {
  expect(thrownText(thrown)).toBe(text);
});

test("nearest suggests the name that was probably meant, and none that is far away", () => {
  const known = ["timeoutMs", "deadlineMs", "maxRetries", "fetch", "fetchOptions"];
  expect(nearest("timeoutms", known)).toBe("timeoutMs");
  expect(nearest("retries", known)).toBeUndefined();
  expect(nearest("maxRetry", known)).toBe("maxRetries");
  expect(nearest("deadl", known)).toBe("deadlineMs");
  expect(nearest("colour", known)).toBeUndefined();
  expect(nearest("", ["*", ...known])).toBeUndefined();
});

test("canonicalJson writes equal values as equal JSON, whatever the order of their keys", () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: 2 })).toBe('{"a":2,"b":[{"c":null,"d":1}]}');
});

test("an environment that may not be read counts as empty", () => {
  const env = new Proxy(
    {},
    {
      get() {
        throw new Error("Requires env access");
      },
    },
  );
  vi.stubGlobal("process", { env });
  expect(environmentVariable("SETTLEKIT_SECRET_KEY")).toBeUndefined();
  vi.unstubAllGlobals();
});
