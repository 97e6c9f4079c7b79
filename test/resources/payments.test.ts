import { describe, expect, test } from "vitest";
import { InvalidRequestError } from "../../src/errors.ts";
import { type CreatePaymentInput, MerchantClient, type PaymentListQuery } from "../../src/index.ts";
import { scriptedService } from "../scripted-service.ts";
import { createdPayment, payment } from "../wire/examples.ts";

const nowhere = { url: "http://127.0.0.1:2" };

const clientOf = ({ url }: { url: string }) =>
  new MerchantClient({ secretKey: "sk_test_1", environment: "sandbox", baseUrl: url });

describe("payments.create", () => {
  test("sends a payment in USD cents", async () => {
    using server = scriptedService({ status: 201, body: createdPayment });
    const created = await clientOf(server).payments.create({
      amount: 2500,
      orderId: "order_1",
      redirectUrl: "https://shop.example/thanks",
      customMetadata: { cart: [1, 2] },
    });
    expect(created).toEqual(createdPayment);
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({
      type: "payment",
      amount: 2500,
      currency: "USD",
      orderId: "order_1",
      redirectUrl: "https://shop.example/thanks",
      customMetadata: '{"cart":[1,2]}',
    });
  });

  test("sends a deposit without an amount", async () => {
    using server = scriptedService({ status: 201, body: createdPayment });
    await clientOf(server).payments.create({
      type: "deposit",
      orderId: "order_1",
      customerRefId: "c_1",
    });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({
      type: "deposit",
      currency: "USD",
      orderId: "order_1",
      customerRefId: "c_1",
    });
  });

  test.each([
    ["amount", { type: "deposit", amount: 2500 }, "is for payments only, got 2500. Leave it out: "],
    [
      "customerRefId",
      { amount: 2500, customerRefId: "c_1" },
      'is for deposits only, got "c_1". Leave it out, or',
    ],
    ["amount", {}, "is missing. It must be a whole number of USD cents from 1 to "],
    ["amount", {}, 'Only a payment of type "deposit" has none.'],
    ["orderId", { amount: 2500, orderId: undefined }, "is missing. It must be your own reference"],
  ])("refuses %s where it is missing or would be ignored", async (param, fields, said) => {
    const call = clientOf(nowhere).payments.create({ orderId: "order_1", ...fields } as never);
    const message = expect.stringContaining(said);
    await expect(call).rejects.toMatchObject({ name: "InvalidRequestError", param, message });
  });

  test.each([
    ["payment.id", { id: "another" }],
    ["orderId", { orderId: "order_2" }],
    ["amountInCents", { amountInCents: 100 }],
  ])(
    "refuses a response with another %s, which says nothing about this order",
    async (field, change) => {
      const body = { ...createdPayment, payment: { ...createdPayment.payment, ...change } };
      using server = scriptedService({ status: 201, body });
      const creating = clientOf(server).payments.create(
        { amount: 2500, orderId: "order_1" },
        { idempotencyKey: "key-1" },
      );
      await expect(creating).rejects.toMatchObject({
        name: "UnexpectedResponseError",
        code: "answer_differs",
        outcome: "unknown",
        idempotencyKey: "key-1",
        message: expect.stringContaining(field),
        body,
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  test.each([
    ["the amount of a deposit", { type: "deposit", orderId: "order_1" }, { amountInCents: 0 }],
    ["the amount as text", { amount: 2500, orderId: "order_1" }, { amountInCents: "2500" }],
    [
      "an amount that is not a number",
      { amount: 2500, orderId: "order_1" },
      { amountInCents: "x" },
    ],
    ["no orderId", { amount: 2500, orderId: "order_1" }, { orderId: null }],
    ["a reference that was trimmed", { amount: 2500, orderId: " a " }, { orderId: "a" }],
    ["a reference as a number", { amount: 2500, orderId: "007" }, { orderId: 7 }],
    [
      "the id in another case",
      { amount: 2500, orderId: "order_1" },
      { id: payment.id.toUpperCase() },
    ],
    ["no payment", { amount: 2500, orderId: "order_1" }, null],
  ])("accepts a response with %s", async (_, order, change) => {
    const changed = change && { ...createdPayment.payment, ...change };
    const body = { ...createdPayment, payment: changed };
    using server = scriptedService({ status: 201, body });
    expect(await clientOf(server).payments.create(order as CreatePaymentInput)).toEqual(body);
  });

  test.each(['{ "cart" : 1 }', "cart=1&source=mail"])(
    "sends the metadata %j as it is",
    async (customMetadata) => {
      using server = scriptedService({ status: 201, body: createdPayment });
      await clientOf(server).payments.create({ amount: 2500, orderId: "order_1", customMetadata });
      expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ customMetadata });
    },
  );

  test.each(["https://shop.example/paid?a=1", "http://127.0.0.1:3000", "myapp://paid"])(
    "sends the redirectUrl %s as it is",
    async (redirectUrl) => {
      using server = scriptedService({ status: 201, body: createdPayment });
      await clientOf(server).payments.create({ amount: 2500, orderId: "order_1", redirectUrl });
      expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ redirectUrl });
    },
  );

  test.each([1, 100_000_000])("sends the amount %d, the limit", async (amount) => {
    const body = { ...createdPayment, payment: { ...payment, amountInCents: amount } };
    using server = scriptedService({ status: 201, body });
    await clientOf(server).payments.create({ amount, orderId: "order_1" });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ amount });
  });

  const good = { amount: 2500, orderId: "order_1" };
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  test.each<[string, unknown, string, string?]>([
    ["no parameters", undefined, "parameters"],
    ["an amount of 0", { ...good, amount: 0 }, "amount", "invalid_amount"],
    ["a negative amount", { ...good, amount: -1 }, "amount", "invalid_amount"],
    ["a fraction of a cent", { ...good, amount: 2.5 }, "amount", "invalid_amount"],
    ["NaN", { ...good, amount: Number.NaN }, "amount", "invalid_amount"],
    ["an amount as text", { ...good, amount: "25" }, "amount", "invalid_amount"],
    ["an amount over the maximum", { ...good, amount: 100_000_001 }, "amount", "invalid_amount"],
    ["no amount", { orderId: "order_1" }, "amount", "invalid_amount"],
    ["no orderId", { amount: 2500 }, "orderId"],
    ["an empty orderId", { ...good, orderId: "" }, "orderId"],
    ["a numeric orderId", { ...good, orderId: 7 }, "orderId"],
    ["a key among the parameters", { ...good, idempotencyKey: "k" }, "idempotencyKey"],
    ["another currency", { ...good, currency: "EUR" }, "currency"],
    ["an unknown type", { ...good, type: "gift" }, "type"],
    ["metadata that is a number", { ...good, customMetadata: 7 }, "customMetadata"],
    ["metadata that is a list", { ...good, customMetadata: [1] }, "customMetadata"],
    [
      "metadata in a Map, which JSON would empty",
      { ...good, customMetadata: new Map([["cart", 1]]) },
      "customMetadata",
    ],
    [
      "metadata in a promise, which JSON would empty",
      { ...good, customMetadata: Promise.resolve({ cart: 1 }) },
      "customMetadata",
    ],
    [
      "a date as metadata, which JSON would make text",
      { ...good, customMetadata: new Date(0) },
      "customMetadata",
    ],
    ["metadata with a cycle", { ...good, customMetadata: cyclic }, "customMetadata"],
    ["metadata with a bigint", { ...good, customMetadata: { a: 1n } }, "customMetadata"],
    ["a script as redirectUrl", { ...good, redirectUrl: "javascript:alert(1)" }, "redirectUrl"],
    ["a data URL", { ...good, redirectUrl: "data://text/html,hi" }, "redirectUrl"],
    ["a file", { ...good, redirectUrl: "file:///etc/passwd" }, "redirectUrl"],
    ["a blob", { ...good, redirectUrl: "blob://x/y" }, "redirectUrl"],
    ["a VBScript", { ...good, redirectUrl: "VBScript://x" }, "redirectUrl"],
    ["a host without scheme", { ...good, redirectUrl: "localhost:3000/paid" }, "redirectUrl"],
    ["a relative redirectUrl", { ...good, redirectUrl: "/thanks" }, "redirectUrl"],
  ])("refuses %s before sending", async (_, input, param, code = "invalid_request") => {
    using server = scriptedService({ status: 201, body: createdPayment });
    const error = await clientOf(server)
      .payments.create(input as CreatePaymentInput)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ param, code, outcome: "not_sent" });
    expect(error).not.toHaveProperty("status");
    expect(error.message).toMatch(/must/);
    expect(server.requests).toHaveLength(0);
  });

  test.each(["", "two words", "line\nbreak", "ümlaut", "x".repeat(256)])(
    "refuses the idempotency key %j without repeating it",
    async (idempotencyKey) => {
      using server = scriptedService({ status: 201, body: createdPayment });
      const call = clientOf(server).payments.create(good, { idempotencyKey });
      await expect(call).rejects.toMatchObject({
        param: "idempotencyKey",
        message: expect.not.stringContaining(idempotencyKey || "impossible"),
      });
      expect(server.requests).toHaveLength(0);
    },
  );
});

describe("payments.get", () => {
  test("reads the payment with the id", async () => {
    using server = scriptedService({ body: payment });
    expect(await clientOf(server).payments.get(payment.id)).toEqual(payment);
    expect(server.requests[0]).toMatchObject({
      method: "GET",
      url: `/v1/external/secretkey-auth/payments/${payment.id}`,
    });
    expect(server.requests[0]?.headers).not.toHaveProperty("idempotency-key");
  });

  test.each([
    ...["", ".", "..", "a\nb", "a\u0000", "\ud800"],
    // Missing values in text, as in `${params.id}`.
    ...["undefined", "null", "NaN", "[object Object]", "[object Promise]"],
    // Encoded, these lead to another route behind a proxy that decodes slashes, as nginx may.
    ...["../withdrawals", "a/../../withdrawals", "..\\withdrawals", "a/.."],
  ])("refuses the id %j", async (id) => {
    using server = scriptedService({ body: payment });
    await expect(clientOf(server).payments.get(id)).rejects.toMatchObject({
      name: "InvalidRequestError",
      param: "paymentId",
    });
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    ["..x/y..", "..x%2Fy.."],
    ["a/b?c", "a%2Fb%3Fc"],
    ["\\evil.example", "%5Cevil.example"],
    ["//evil.example", "%2F%2Fevil.example"],
    ["%2e%2e", "%252e%252e"],
    ["a#b", "a%23b"],
    ["pay_undefined", "pay_undefined"],
  ])("encodes the id %j, so that it never becomes another route", async (id, encoded) => {
    using server = scriptedService({ body: { ...payment, id } });
    await clientOf(server).payments.get(id);
    expect(server.requests[0]?.url).toBe(`/v1/external/secretkey-auth/payments/${encoded}`);
  });
});

describe("payments.list", () => {
  const page = {
    data: [payment],
    pagination: { total: 1, limit: 1, offset: 0, hasMore: false, totalPages: 1, currentPage: 1 },
  };

  test("returns a page with its pagination", async () => {
    using server = scriptedService({ body: page });
    const query = { status: "completed", search: "a b&c", limit: 1, offset: 0 } as const;
    expect(await clientOf(server).payments.list(query)).toEqual(page);
    expect(server.requests[0]?.url).toBe(
      "/v1/external/secretkey-auth/payments?status=completed&search=a+b%26c&limit=1&offset=0",
    );
  });

  test("sends no query without filters", async () => {
    using server = scriptedService({ body: page });
    await clientOf(server).payments.list();
    expect(server.requests[0]?.url).toBe("/v1/external/secretkey-auth/payments");
  });

  test("keeps its filters if the caller changes the object that held them", async () => {
    const { pagination } = page;
    using server = scriptedService(
      { body: { data: [payment], pagination: { ...pagination, total: 2, hasMore: true } } },
      { body: { data: [payment], pagination: { ...pagination, total: 1, hasMore: false } } },
    );
    const query: PaymentListQuery = { status: "completed" };
    const list = clientOf(server).payments.list(query);
    query.status = "pending";
    expect(await list.toArray({ limit: 10 })).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
    for (const { url } of server.requests) expect(url).toContain("status=completed");
  });

  test.each([
    ["limit", 0],
    ["limit", 1001],
    ["limit", 1.5],
    ["offset", -1],
    ["orderId", "order_1"],
    ["stauts", "completed"],
    ["prefetch", 2],
    ["search", ""],
  ])("refuses a %s of %j", async (param, value) => {
    using server = scriptedService({ body: page });
    const call = clientOf(server).payments.list({ [param]: value });
    await expect(call).rejects.toMatchObject({ name: "InvalidRequestError", param });
    expect(server.requests).toHaveLength(0);
  });
});
