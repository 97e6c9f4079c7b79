import { createSandbox, type SandboxOptions } from "settlekit/sandbox";
import { describe, expect, it } from "vitest";
import { errorOf, list, order, origin, paymentsPath, type Sent, send } from "../merchant.ts";

interface Case {
  readonly title: string;
  readonly path?: string;
  readonly sent?: Sent;
  readonly options?: SandboxOptions;
  readonly status: number;
  readonly error: { readonly type?: string; readonly code: string; readonly param?: string };
}

/** A creation with these fields in place of the order's. */
const posting = (
  title: string,
  fields: Record<string, unknown>,
  status: number,
  error: Case["error"],
): Case => ({ title, sent: { body: { ...order, ...fields } }, status, error });
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

  posting("a missing amount", { amount: undefined }, 400, invalidAmount),
  posting(
    "a missing amount of type payment",
    { amount: undefined, type: "payment" },
    400,
    invalidAmount,
  ),
  posting("an amount as a string", { amount: "2500" }, 400, invalidAmount),
  posting("an amount of null", { amount: null }, 400, invalidAmount),
  posting("an amount of true", { amount: true }, 400, invalidAmount),
  posting("an amount of zero", { amount: 0 }, 422, invalidAmount),
  posting("a negative amount", { amount: -2500 }, 422, invalidAmount),
  posting("a fraction of a cent", { amount: 2500.5 }, 422, invalidAmount),
  posting("one cent too little", { amount: 249 }, 422, invalidAmount),
  posting("one cent too much", { amount: 100_000_001 }, 422, invalidAmount),
  {
    title: "an infinite amount",
    sent: { body: '{"amount":1e999,"currency":"USD","orderId":"order_1"}' },
    status: 422,
    error: invalidAmount,
  },

  posting("a missing currency", { currency: undefined }, 400, invalid("currency")),
  posting("an unsupported currency", { currency: "EUR" }, 422, invalid("currency")),
  posting("a currency in lower case", { currency: "usd" }, 422, invalid("currency")),
  posting("a currency of a wrong type", { currency: 840 }, 400, invalid("currency")),
  posting("a missing orderId", { orderId: undefined }, 400, invalid("orderId")),
  posting("an orderId of a wrong type", { orderId: 1 }, 400, invalid("orderId")),
  posting("an empty orderId", { orderId: "" }, 422, invalid("orderId")),
  posting("an over-long orderId", { orderId: "x".repeat(256) }, 422, invalid("orderId")),
  posting("an unsupported type", { type: "refund" }, 422, invalid("type")),
  posting("a type of a wrong type", { type: 1 }, 400, invalid("type")),
  posting(
    "a deposit without orderId",
    { type: "deposit", orderId: undefined },
    400,
    invalid("orderId"),
  ),
  posting(
    "a redirectUrl that is relative",
    { redirectUrl: "/thanks" },
    422,
    invalid("redirectUrl"),
  ),
  posting(
    "a redirectUrl that is a script",
    { redirectUrl: "javascript:alert(1)" },
    422,
    invalid("redirectUrl"),
  ),
  posting("a redirectUrl of a wrong type", { redirectUrl: {} }, 400, invalid("redirectUrl")),
  posting(
    "metadata that is not JSON",
    { customMetadata: "{cart:1}" },
    422,
    invalid("customMetadata"),
  ),
  posting(
    "metadata that is an object",
    { customMetadata: { cart: 1 } },
    400,
    invalid("customMetadata"),
  ),
  posting(
    "over-long metadata",
    { customMetadata: `"${"x".repeat(2048)}"` },
    422,
    invalid("customMetadata"),
  ),

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
    title: "a body that declares more than 1 MiB",
    sent: { body: order, headers: { "Content-Length": "1048577" } },
    status: 413,
    error: { code: "body_too_large" },
  },
  {
    title: "a body over 1 MiB that declares less",
    sent: {
      body: { ...order, padding: "x".repeat(1_048_576) },
      headers: { "Content-Length": "100" },
    },
    status: 413,
    error: { code: "body_too_large" },
  },
  {
    title: "a deeply nested body under an idempotency key",
    sent: {
      body: `{"x":${"[".repeat(5000)}${"]".repeat(5000)}}`,
      headers: { "Idempotency-Key": "k" },
    },
    status: 400,
    error: { code: "invalid_request" },
  },
  {
    title: "a deposit where deposits are disabled",
    sent: { body: { ...order, type: "deposit" } },
    options: { depositsEnabled: false },
    status: 403,
    error: { code: "deposits_disabled" },
  },

  { title: "a limit of 0", path: "?limit=0", status: 422, error: invalid("limit") },
  { title: "a limit over 1000", path: "?limit=1001", status: 422, error: invalid("limit") },
  {
    title: "a limit that is not a number",
    path: "?limit=ten",
    status: 400,
    error: invalid("limit"),
  },
  { title: "a limit that is a fraction", path: "?limit=1.5", status: 400, error: invalid("limit") },
  { title: "an empty limit", path: "?limit=", status: 400, error: invalid("limit") },
  { title: "a negative offset", path: "?offset=-1", status: 422, error: invalid("offset") },
  {
    title: "an offset that is not a number",
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

  it("says when the secret key is missing", async () => {
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

  it("on an unknown route names the sandbox and lists the routes", async () => {
    const { message } = await errorOf(await send(createSandbox(), "/v1/payments"));
    expect(message).toContain("settlekit sandbox");
    expect(message).toContain("GET /v1/payments");
    expect(message).toContain("POST /v1/external/secretkey-auth/payments");
    expect(message).toContain("GET /v1/external/secretkey-auth/payments/{paymentId}");
  });

  it("on a wrong method lists the allowed methods", async () => {
    const response = await send(createSandbox(), paymentsPath, { method: "PUT", body: order });
    expect(response.headers.get("allow")).toBe("POST, GET, HEAD");
    expect((await errorOf(response)).message).toContain("POST, GET");
  });
});
