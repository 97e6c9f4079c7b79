import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactor } from "../../src/http/request.ts";
import { readErrorBody } from "../../src/wire/envelope.ts";
import { getPayment } from "../../src/wire/operations.ts";
import { growth } from "../growth.ts";
import { scriptedService } from "../scripted-service.ts";
import { payment } from "../wire/examples.ts";
import { httpTo } from "./http-to.ts";

const key = "sk_test_4f9a7c1e/0b52";
const redact = redactor(key);
const secretPart = /4f9a|0b52/i;

describe("a credential in a text", () => {
  test.each([
    ["whole", `bad key ${key}!`, "bad key [redacted]!"],
    ["twice", `${key}${key}`, "[redacted][redacted]"],
    ["in upper case", key.toUpperCase(), "[redacted]"],
    ["with its slash escaped as in some JSON", "sk_test_4f9a7c1e\\/0b52.", "[redacted]."],
    ["in a URL's query", "/x?secret=sk_test_4f9a7c1e%2F0b52&y", "/x?secret=[redacted]&y"],
    ["escaped in a text that is not JSON", "sk_test_4f9a7c1e\\u002f0b52.", "[redacted]."],
    ["encoded and shortened", "sk_test_4f9a7c1e%2F0b... failed", "[redacted]... failed"],
    ["shortened by the service", "key sk_test_4f9a7... is unknown", "key [redacted]... is unknown"],
    ["cut off at the end of the text", "unknown key sk_test_4f", "unknown key [redacted]"],
    ["next to letters whose lower case is longer", `İİİ ${key}`, "İİİ [redacted]"],
  ])("%s is redacted", (_, text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  test("is redacted in a URL even if every second character of it needs encoding", () => {
    const token = "a+b/c=d+e/f=g+h/i=";
    expect(redactor(token)(`?t=${encodeURIComponent(token)}`)).toBe("?t=[redacted]");
  });

  test.each([
    ["encoded", (text: string) => encodeURIComponent(text)],
    ["escaped", (text: string) => text.replaceAll("/", "\\u002f")],
  ])("%s is redacted even if the text ends within an escape", (_, escaped) => {
    const token = "tok_9f/4a/7c/1e/0b/52";
    const text = escaped(token);
    for (let length = 6; length <= text.length; length++) {
      expect(redactor(token)(`bad ${text.slice(0, length)}`)).toBe("bad [redacted]");
    }
  });

  test("never shows, wherever it is cut off", () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(key.length), (before, length) => {
        const shown = redact(`${before}${key.slice(0, length)}`);
        expect(shown.slice(before.length)).not.toMatch(secretPart);
      }),
    );
  });

  test("is the only text that is redacted", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/sk_tes/i.test(text));
        expect(redact(text)).toBe(text);
      }),
    );
    // Shorter than any credential: a typing mistake.
    for (const mistake of ["", "x", "secret"]) {
      expect(redactor(mistake)("expired: secret_missing x")).toBe("expired: secret_missing x");
    }
  });

  test.each([490, 495, 499, 500, 505])(
    "never shows when the message is cut at %i characters",
    (at) => {
      const message = `${"x".repeat(at - 10)}${key}${"y".repeat(100)}`;
      for (const body of [
        { error: { message, code: message, type: message, param: message } },
        message,
      ]) {
        const { body: _, ...facts } = readErrorBody(JSON.stringify(body), redact);
        expect(JSON.stringify(facts)).not.toMatch(secretPart);
      }
      expect(
        JSON.stringify(readErrorBody(`<html><h1>${message}`, redact).message ?? ""),
      ).not.toMatch(secretPart);
    },
  );
});

test.each<[string, object]>([
  [
    "in a redirect's host",
    { status: 302, headers: { location: `https://sk_test_4f9a7c1e.example` } },
  ],
  [
    "in a body that is not JSON",
    { status: 400, body: `{"error":{"message":"bad key ${key.slice(0, 14)}` },
  ],
  ["in a success that is not JSON", { body: `<h1>${key}` }],
  ["in the name of a field", { status: 400, body: { error: { [key]: 1, code: "x" } } }],
  ["in the request id", { status: 400, headers: { "x-request-id": key }, body: {} }],
  ["in the request id of a body", { status: 400, body: { error: { code: "x", requestId: key } } }],
])("a credential that the service repeats %s does not show in the error", async (_, answer) => {
  using server = scriptedService(answer);
  const error = await httpTo(server, { secretKey: key, maxRetries: 0 })
    .call(getPayment, { path: { paymentId: payment.id } })
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Error);
  const all = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true } as const;
  expect(`${inspect(error, all)} ${JSON.stringify(error)} ${inspect(error.body, all)}`).not.toMatch(
    secretPart,
  );
});

describe("readErrorBody", () => {
  test.each<[string, (length: number) => string]>([
    ["unclosed HTML tags", (length) => `<html>${"<h1".repeat(length)}`],
    ["white space", (length) => " ".repeat(length)],
    ["control characters", (length) => "\u0000".repeat(length)],
    ["unclosed lists", (length) => "[".repeat(length)],
    ["pieces of the credential", (length) => "sk_test_".repeat(length)],
  ])("takes time at most in proportion to the length of %s", (_, bodyOf) => {
    const read = (length: number) => readErrorBody(bodyOf(length), redact);
    expect(growth(read, 1_000)).toBeLessThan(24);
  });

  test("reads a body nested deeper than the stack allows", () => {
    for (const body of ["[".repeat(200_000), `${"[".repeat(100_000)}${"]".repeat(100_000)}`]) {
      expect(readErrorBody(body, redact)).toMatchObject({ body, isKnownForm: false });
    }
  });
});
