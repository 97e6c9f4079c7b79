import { createSandbox, type SandboxOptions } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { errorOf, list, order, origin, paymentsPath, type Sent, send } from "./merchant.ts";

interface Case {
  readonly title: string;
  readonly path?: string;
  readonly sent?: Sent;
  readonly options?: SandboxOptions;
  readonly status: number;
  readonly error: { readonly type?: string; readonly code: string; readonly param?: string };
}

const posting = (fields: Record<string, unknown>): { sent: Sent } => ({
  sent: { body: { ...order, ...fields } },
});
const invalidAmount = { code: "invalid_amount", param: "amount" };
const invalid = (param: string) => ({ code: "invalid_request", param });
const unauthenticated = { type: "authentication_error", code: "invalid_api_key" };

const cases: readonly Case[] = [
  {
    title: "a wrong secret key",
    sent: { headers: { "X-Service-Secret-Key": "sk_test_wrong" } },
    status: 401,
    error: unauthenticated,
  },
  {
    title: "an empty secret key",
    sent: { headers: { "X-Service-Secret-Key": "" } },
    status: 401,
    error: unauthenticated,
  },
  {
    title: "a wrong key with a wrong body",
    sent: { headers: { "X-Service-Secret-Key": "no" }, body: "{" },
    status: 401,
    error: unauthenticated,
  },

  {
    title: "a missing amount",
    ...posting({ amount: undefined }),
    status: 400,
    error: invalidAmount,
  },
  {
    title: "a missing amount of type payment",
    ...posting({ amount: undefined, type: "payment" }),
    status: 400,
    error: invalidAmount,
  },
  { title: "an amount in text", ...posting({ amount: "2500" }), status: 400, error: invalidAmount },
  { title: "an amount of null", ...posting({ amount: null }), status: 400, error: invalidAmount },
  { title: "an amount of true", ...posting({ amount: true }), status: 400, error: invalidAmount },
  { title: "an amount of zero", ...posting({ amount: 0 }), status: 422, error: invalidAmount },
  { title: "a negative amount", ...posting({ amount: -2500 }), status: 422, error: invalidAmount },
  {
    title: "a fraction of a cent",
    ...posting({ amount: 2500.5 }),
    status: 422,
    error: invalidAmount,
  },
  { title: "one cent too little", ...posting({ amount: 249 }), status: 422, error: invalidAmount },
  {
    title: "one cent too much",
    ...posting({ amount: 100_000_001 }),
    status: 422,
    error: invalidAmount,
  },
  {
    title: "an amount beyond all numbers",
    sent: { body: '{"amount":1e999,"currency":"USD","orderId":"order_1"}' },
    status: 422,
    error: invalidAmount,
  },

  {
    title: "a missing currency",
    ...posting({ currency: undefined }),
    status: 400,
    error: invalid("currency"),
  },
  {
    title: "another currency",
    ...posting({ currency: "EUR" }),
    status: 422,
    error: invalid("currency"),
  },
  {
    title: "a currency in lower case",
    ...posting({ currency: "usd" }),
    status: 422,
    error: invalid("currency"),
  },
  {
    title: "a currency of a wrong type",
    ...posting({ currency: 840 }),
    status: 400,
    error: invalid("currency"),
  },
  {
    title: "a missing orderId",
    ...posting({ orderId: undefined }),
    status: 400,
    error: invalid("orderId"),
  },
  {
    title: "an orderId of a wrong type",
    ...posting({ orderId: 1 }),
    status: 400,
    error: invalid("orderId"),
  },
  {
    title: "an empty orderId",
    ...posting({ orderId: "" }),
    status: 422,
    error: invalid("orderId"),
  },
  {
    title: "an over-long orderId",
    ...posting({ orderId: "x".repeat(256) }),
    status: 422,
    error: invalid("orderId"),
  },
  { title: "another type", ...posting({ type: "refund" }), status: 422, error: invalid("type") },
  { title: "a type of a wrong type", ...posting({ type: 1 }), status: 400, error: invalid("type") },
  {
    title: "a deposit without orderId",
    ...posting({ type: "deposit", orderId: undefined }),
    status: 400,
    error: invalid("orderId"),
  },
  {
    title: "a redirectUrl that is relative",
    ...posting({ redirectUrl: "/thanks" }),
    status: 422,
    error: invalid("redirectUrl"),
  },
  {
    title: "a redirectUrl that is a script",
    ...posting({ redirectUrl: "javascript:alert(1)" }),
    status: 422,
    error: invalid("redirectUrl"),
  },
  {
    title: "a redirectUrl of a wrong type",
    ...posting({ redirectUrl: {} }),
    status: 400,
    error: invalid("redirectUrl"),
  },
  {
    title: "metadata that is not JSON",
    ...posting({ customMetadata: "{cart:1}" }),
    status: 422,
    error: invalid("customMetadata"),
  },
  {
    title: "metadata that is an object",
    ...posting({ customMetadata: { cart: 1 } }),
    status: 400,
    error: invalid("customMetadata"),
  },
  {
    title: "over-long metadata",
    ...posting({ customMetadata: `"${"x".repeat(2048)}"` }),
    status: 422,
    error: invalid("customMetadata"),
  },

  {
    title: "a body that is not JSON",
    sent: { body: '{"amount":' },
    status: 400,
    error: { code: "invalid_request" },
  },
  {
    title: "an empty body",
    sent: { method: "POST" },
    status: 400,
    error: { code: "invalid_request" },
  },
  {
    title: "a body that is an array",
    sent: { body: [order] },
    status: 400,
    error: { code: "invalid_request" },
  },
  {
    title: "a body that is null",
    sent: { body: "null" },
    status: 400,
    error: { code: "invalid_request" },
  },
  {
    title: "a body that is a number",
    sent: { body: "2500" },
    status: 400,
    error: { code: "invalid_request" },
  },
  {
    title: "a body over 1 MiB",
    sent: { body: JSON.stringify({ ...order, padding: "x".repeat(1_048_576) }) },
    status: 413,
    error: { code: "body_too_large" },
  },
  {
    title: "a body that announces more than 1 MiB",
    sent: { body: order, headers: { "Content-Length": "1048577" } },
    status: 413,
    error: { code: "body_too_large" },
  },
  {
    title: "a body over 1 MiB that announces less",
    sent: {
      body: { ...order, padding: "x".repeat(1_048_576) },
      headers: { "Content-Length": "100" },
    },
    status: 413,
    error: { code: "body_too_large" },
  },
  {
    title: "a body that nests without end under an idempotency key",
    sent: {
      body: `{"x":${"[".repeat(5000)}${"]".repeat(5000)}}`,
      headers: { "Idempotency-Key": "k" },
    },
    status: 400,
    error: { code: "invalid_request" },
  },
  {
    title: "a deposit where deposits are disabled",
    ...posting({ type: "deposit" }),
    options: { depositsEnabled: false },
    status: 403,
    error: { code: "deposits_disabled" },
  },

  { title: "a limit of 0", path: "?limit=0", status: 422, error: invalid("limit") },
  { title: "a limit over 1000", path: "?limit=1001", status: 422, error: invalid("limit") },
  { title: "a limit that is no number", path: "?limit=ten", status: 400, error: invalid("limit") },
  { title: "a limit that is a fraction", path: "?limit=1.5", status: 400, error: invalid("limit") },
  { title: "an empty limit", path: "?limit=", status: 400, error: invalid("limit") },
  { title: "a negative offset", path: "?offset=-1", status: 422, error: invalid("offset") },
  {
    title: "an offset that is no number",
    path: "?offset=0x10",
    status: 400,
    error: invalid("offset"),
  },
  { title: "an unknown status", path: "?status=paid", status: 422, error: invalid("status") },
  { title: "an unknown type", path: "?type=refund", status: 422, error: invalid("type") },
  {
    title: "an unknown sort field",
    path: "?sortBy=orderId",
    status: 422,
    error: invalid("sortBy"),
  },
  {
    title: "a sort order in lower case",
    path: "?sortOrder=asc",
    status: 422,
    error: invalid("sortOrder"),
  },

  {
    title: "an unknown payment id",
    path: "/7c0f6f0e-0000-4000-8000-000000000000",
    status: 404,
    error: { code: "not_found" },
  },
  {
    title: "a payment id that cannot be decoded",
    path: "/%zz",
    status: 404,
    error: { code: "not_found" },
  },
  { title: "an unknown route", path: "/a/b", status: 404, error: { code: "unknown_route" } },
  { title: "a trailing slash", path: "/", status: 404, error: { code: "unknown_route" } },
  {
    title: "a wrong method on the list",
    sent: { method: "DELETE" },
    status: 405,
    error: { code: "method_not_allowed" },
  },
  {
    title: "a wrong method on one payment",
    path: "/some-id",
    sent: { body: order },
    status: 405,
    error: { code: "method_not_allowed" },
  },
];

describe("an error", () => {
  it.each(cases)("$title is answered $status in the documented envelope", async (example) => {
    const { path = "", sent, options, status, error } = example;
    const sandbox = createSandbox(options);
    const response = await send(sandbox, paymentsPath + path, sent);

    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({
      error: {
        type: "invalid_request_error",
        ...error,
        message: expect.stringMatching(/\w{3}.*\./s),
      },
    });
    expect((await list(sandbox)).data).toEqual([]);
  });

  it("says that the secret key is missing when it is", async () => {
    const response = await createSandbox().fetch(new Request(origin + paymentsPath));
    expect(response.status).toBe(401);
    const error = await errorOf(response);
    expect(error).toMatchObject({ type: "authentication_error", code: "invalid_api_key" });
    expect(error).not.toHaveProperty("param");
    expect(error.message).toContain("X-Service-Secret-Key is missing");
  });

  it("never repeats a secret key", async () => {
    const sandbox = createSandbox();
    const headers = { "X-Service-Secret-Key": "sk_live_pasted_by_mistake" };
    const text = await (await send(sandbox, paymentsPath, { headers })).text();
    expect(text).not.toContain("pasted_by_mistake");
    expect(text).not.toContain(sandbox.secretKey);
  });

  it("on an unknown route tells who is speaking and which routes there are", async () => {
    const { message } = await errorOf(await send(createSandbox(), "/v1/payments"));
    expect(message).toContain("settlekit sandbox");
    expect(message).toContain("GET /v1/payments");
    expect(message).toContain("POST /v1/external/secretkey-auth/payments");
    expect(message).toContain("GET /v1/external/secretkey-auth/payments/{paymentId}");
  });

  it("on a wrong method tells which methods there are", async () => {
    const response = await send(createSandbox(), paymentsPath, { method: "PUT", body: order });
    expect(response.headers.get("allow")).toBe("POST, GET");
    expect((await errorOf(response)).message).toContain("POST, GET");
  });

  it("names the expectation and the value", async () => {
    const response = await send(createSandbox(), paymentsPath, posting({ amount: 249 }).sent);
    expect((await errorOf(response)).message).toBe(
      "amount must be from 250 to 100000000 USD cents, but is 249.",
    );
  });
});

describe("an option that cannot work", () => {
  it.each([
    ["webhookUrl", { webhookUrl: "localhost:3000" }],
    ["webhookUrl", { webhookUrl: "ftp://127.0.0.1/" }],
    ["now", { now: new Date("yesterday") }],
    ["now", { now: new Date(-1) }],
    ["limits.minPaymentInCents", { limits: { minPaymentInCents: 0 } }],
    ["limits.minPaymentInCents", { limits: { minPaymentInCents: 2.5 } }],
  ] as const)("is refused with %s as the param", (param, options) => {
    expect(() => createSandbox(options)).toThrow(
      expect.objectContaining({ name: "ConfigurationError", param }),
    );
  });
});
