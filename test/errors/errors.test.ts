import { describe, expect, test, vi } from "vitest";
import { errorFor } from "../../src/http/call-errors.ts";
import type { Failure } from "../../src/http/policy.ts";
import * as settlekit from "../../src/index.ts";
import { readErrorBody } from "../../src/wire/envelope.ts";

const { ApiError, SettlekitError, InvalidRequestError, NotFoundError } = settlekit;

const call = {
  operation: "payments.get",
  replay: "safe",
  service: { baseUrl: "https://api.example" },
  idempotencyKey: undefined,
  attempts: 1,
} as const;

function answered(status: number, body: unknown = "", retryAfterMs?: number) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { isKnownForm: isFromService, ...facts } = readErrorBody(text);
  const requestId = "req_1";
  const failure: Failure = {
    kind: "status",
    status,
    facts,
    isFromService,
    retryAfterMs,
    requestId,
  };
  return errorFor(failure, "rejected", call);
}

test.each([
  ["sandbox", true],
  ["testnet", false],
] as const)(
  "the error for an unreachable %s suggests starting a sandbox: %s",
  (environment, isSuggested) => {
    const failure = { kind: "unreachable", code: "ECONNREFUSED", detail: "refused" } as const;
    const service = { ...call.service, environment };
    const { message } = errorFor(failure, "not_sent", { ...call, service });
    expect(message.includes("npx settlekit sandbox")).toBe(isSuggested);
  },
);

describe("an error response", () => {
  test.each<[number, unknown, string, string]>([
    [
      400,
      { error: { code: "invalid_amount", param: "amount" } },
      "InvalidRequestError",
      "invalid_amount",
    ],
    [400, { error: { code: "invalid_request" } }, "InvalidRequestError", "invalid_request"],
    [422, { error: { code: "validation_error" } }, "InvalidRequestError", "validation_error"],
    [
      401,
      { error: { type: "authentication_error", code: "invalid_api_key" } },
      "AuthenticationError",
      "invalid_api_key",
    ],
    [401, { code: "unauthorized" }, "AuthenticationError", "unauthorized"],
    [400, { error: { type: "authentication_error" } }, "AuthenticationError", "invalid_request"],
    [403, { error: { code: "invalid_api_key" } }, "AuthenticationError", "invalid_api_key"],
    [403, { message: "Deposits are disabled" }, "PermissionError", "forbidden"],
    [404, "", "NotFoundError", "not_found"],
    [404, { error: { type: "invalid_request_error" } }, "NotFoundError", "not_found"],
    [
      409,
      { error: { code: "idempotency_conflict" } },
      "IdempotencyConflictError",
      "idempotency_conflict",
    ],
    [409, "", "IdempotencyConflictError", "idempotency_conflict"],
    [
      422,
      { error: { code: "idempotency_conflict" } },
      "IdempotencyConflictError",
      "idempotency_conflict",
    ],
    [429, { code: "rate_limited" }, "RateLimitError", "rate_limited"],
    [500, { code: "server_error" }, "ServerError", "server_error"],
    [503, "<html><title>Busy</title></html>", "ServerError", "server_error"],
    [502, { error: { type: "authentication_error" } }, "ServerError", "server_error"],
    [418, "", "ApiError", "http_418"],
  ])("with %i and %j is a %s", (status, body, name, code) => {
    const error = answered(status, body);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ name, code, status, requestId: "req_1", outcome: "rejected" });
  });

  test("has the service's message, status, code, parameter and request id, and what to do", () => {
    const error = answered(422, {
      error: {
        type: "invalid_request_error",
        code: "invalid_amount",
        message: "amount is too low",
        param: "amount",
      },
    });
    expect(error.message).toBe(
      "amount is too low. [422, invalid_amount, param amount, req_1] Correct amount before calling again.",
    );
    expect(error).toMatchObject({ type: "invalid_request_error", param: "amount" });
  });

  test("says when to call again", () => {
    expect(answered(429, "", 12_000)).toMatchObject({ retryAfterMs: 12_000 });
    for (const status of [429, 503]) {
      expect(answered(status, "", 12_000).message).toContain("Call again in 12 s.");
    }
  });

  test("without a body still has a message", () => {
    expect(answered(500).message).toBe(
      "The service gave no reason. [500, server_error, req_1] The service failed. Call again later.",
    );
  });

  test("exposes the whole body, but does not print it", () => {
    const error = answered(400, { error: { message: "no" }, debug: "internals" }) as InstanceType<
      typeof ApiError
    >;
    expect(error.body).toEqual({ error: { message: "no" }, debug: "internals" });
    expect(JSON.stringify(error)).not.toContain("internals");
  });
});

const classes = Object.entries(settlekit).filter(([name]) => name.endsWith("Error"));

describe("every error class", () => {
  test("of the contract exists", () => {
    expect(classes.map(([name]) => name).sort()).toEqual([
      "AbortError",
      "ApiError",
      "AuthenticationError",
      "ConfigurationError",
      "ConnectionError",
      "IdempotencyConflictError",
      "InvalidRequestError",
      "NotFoundError",
      "OutcomeUnknownError",
      "PermissionError",
      "RateLimitError",
      "ServerError",
      "SettlekitError",
      "StoreError",
      "TimeoutError",
      "UnexpectedResponseError",
      "WebhookVerificationError",
    ]);
  });

  test.each(classes)(
    "%s has its name, its base class and its section of the guide",
    (name, Class) => {
      const error = create(name, Class);
      expect(error).toBeInstanceOf(SettlekitError);
      expect(error.name).toBe(name);
      expect(error.stack).toMatch(new RegExp(`^${name}: `));
      expect(SettlekitError.is(error)).toBe(true);
      expect(error.docs).toBe(`settlekit/docs/errors.md#${name.toLowerCase()}`);
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({
        name,
        message: error.message,
        code: error.code,
        outcome: error.outcome,
        docs: error.docs,
      });
    },
  );
});

function create(name: string, Class: unknown): InstanceType<typeof SettlekitError> {
  if (name === "WebhookVerificationError") {
    return new settlekit.WebhookVerificationError("invalid_json", "The body is not JSON.");
  }
  return new (Class as typeof SettlekitError)("A fact. A cure.", { code: "some_code" });
}

describe("is", () => {
  const error = new NotFoundError("Gone.", { code: "not_found", status: 404 });

  test("narrows to the class and its base classes, and to no other", () => {
    expect(NotFoundError.is(error)).toBe(true);
    expect(ApiError.is(error)).toBe(true);
    expect(InvalidRequestError.is(error)).toBe(false);
    const value: unknown = error;
    if (ApiError.is(value)) expect(value.status).toBe(404);
  });

  test("recognises an error from another copy of the package, where instanceof fails", async () => {
    vi.resetModules();
    const copy = await import("../../src/index.ts");
    const foreign = new copy.NotFoundError("Gone.", { code: "not_found" });
    expect(foreign instanceof NotFoundError).toBe(false);
    expect(NotFoundError.is(foreign)).toBe(true);
    expect(ApiError.is(foreign)).toBe(true);
    expect(InvalidRequestError.is(foreign)).toBe(false);
  });

  test.each([null, undefined, "NotFoundError", {}, new Error("no"), { name: "NotFoundError" }])(
    "returns false for %o",
    (value) => {
      expect(SettlekitError.is(value)).toBe(false);
    },
  );
});
