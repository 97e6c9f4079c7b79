import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readErrorBody } from "../../src/wire/envelope.ts";

const envelope = {
  error: {
    type: "invalid_request_error",
    message: "amount must be at least 250",
    code: "invalid_amount",
    param: "amount",
  },
};

describe("the body of an error response", () => {
  test.each<[string, unknown, object]>([
    ["the documented envelope", envelope, envelope.error],
    [
      "an envelope without param",
      { error: { type: "authentication_error", message: "No", code: "invalid_api_key" } },
      { type: "authentication_error", message: "No", code: "invalid_api_key" },
    ],
    [
      "the flat form",
      { code: "rate_limited", message: "Slow down" },
      { code: "rate_limited", message: "Slow down" },
    ],
    [
      "a framework's form",
      { statusCode: 400, message: "amount must be a number", error: "Bad Request" },
      { message: "amount must be a number" },
    ],
    [
      "a framework's form with several messages",
      {
        statusCode: 400,
        message: ["amount must be a number", "orderId is required"],
        error: "Bad Request",
      },
      { message: "amount must be a number; orderId is required" },
    ],
    [
      "a framework's form without a message",
      { statusCode: 403, error: "Forbidden" },
      { message: "Forbidden" },
    ],
    ["an error that is only text", { error: "nope" }, { message: "nope" }],
    ["a JSON string", "overloaded", { message: "overloaded" }],
    ["a list", [1, 2], {}],
    ["null", null, {}],
    ["fields of the wrong types", { error: { type: 1, code: null, message: {}, param: [] } }, {}],
  ])("is read from %s", (_, body, facts) => {
    const isKnownForm = expect.any(Boolean);
    expect(readErrorBody(JSON.stringify(body))).toEqual({ ...facts, body, isKnownForm });
  });

  test.each([
    ["plain text", "upstream connect error\n", "upstream connect error"],
    [
      "an HTML page",
      "<!DOCTYPE html><html><head><title> 502 Bad Gateway </title>",
      "502 Bad Gateway",
    ],
    ["an HTML page without a title", "<html><body><h1>Blocked</h1></body></html>", "Blocked"],
    ["an HTML page without text", "<html><body></body></html>", undefined],
    ["empty text", "", undefined],
    ["white space", " \r\n ", undefined],
  ])("is read from %s", (_, text, message) => {
    expect(readErrorBody(text)).toEqual({
      ...(message && { message }),
      body: text,
      isKnownForm: false,
    });
  });

  test("cannot break out of a line or flood a log with its message", () => {
    const { message } = readErrorBody(
      JSON.stringify({ message: `a\n\u001b[31mb\u202e${"x".repeat(9999)}` }),
    );
    expect(message).toMatch(/^a \[31mb x+…$/);
    expect(message).toHaveLength(500);
  });

  test("never throws", () => {
    const bodies = fc.oneof(
      fc.json(),
      fc.string(),
      fc.jsonValue().map((error) => JSON.stringify({ error })),
    );
    fc.assert(
      fc.property(bodies, (text) => {
        const { type, code, message, param } = readErrorBody(text);
        for (const value of [type, code, message, param]) {
          expect(value === undefined || (typeof value === "string" && value !== "")).toBe(true);
        }
      }),
    );
  });
});

test.each([
  { error: { code: "invalid_amount", message: "No.", requestId: "req_1" } },
  { code: "invalid_amount", message: "No.", requestId: "req_1" },
  { error: { code: "invalid_amount", message: "No." }, requestId: "req_1" },
])("finds the request id in the body: %j", (body) => {
  expect(readErrorBody(JSON.stringify(body)).requestId).toBe("req_1");
});

// A creation that a proxy refused may have taken effect all the same.
describe("the service, rather than a proxy, answered", () => {
  const knows = (body: unknown) => readErrorBody(JSON.stringify(body)).isKnownForm;

  test.each([
    envelope,
    { error: { type: "rate_limit_error" } },
    { error: { code: "rate_limited" } },
    { code: "rate_limited", message: "Slow down" },
    { statusCode: 400, message: "amount must be a number" },
    { statusCode: 400, message: ["amount must be a number"] },
  ])("if the body is %j", (body) => {
    expect(knows(body)).toBe(true);
  });

  test.each([
    { error: {} },
    { error: { message: "Blocked" } },
    { error: { type: 1, code: "", message: "Blocked" } },
    { error: "Blocked" },
    { message: "Blocked" },
    { code: "blocked" },
    { code: "", message: "Blocked" },
    { statusCode: 403, error: "Forbidden" },
    { statusCode: "403", message: "Forbidden" },
  ])("cannot be told if the body is %j", (body) => {
    expect(knows(body)).toBe(false);
  });
});
