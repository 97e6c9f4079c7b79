import { expect, test } from "vitest";
import { createPayment, getPayment, listPayments } from "../../src/wire/operations.ts";
import { createdPayment, payment } from "../wire/examples.ts";
import { Service } from "./service.ts";
import { targetFrom } from "./target.ts";

/** A service that gives the same answer to every request. */
function answering(body: unknown, init: ResponseInit = {}): Service {
  const headers = { Date: new Date(0).toUTCString(), "Content-Type": "application/json" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Service({
    fetch: async () => new Response(text, { ...init, headers: { ...headers, ...init.headers } }),
    baseUrl: "http://service.test",
    secretKey: "sk_test_1",
    depositsEnabled: true,
  });
}

const path = { paymentId: payment.id };
const envelope = { error: { type: "invalid_request_error", code: "not_found", message: "No." } };

test("an answer that matches the description is accepted", async () => {
  expect(await answering(payment).call(getPayment, { path })).toEqual(payment);
  const { status, error } = await answering(envelope, { status: 404 }).refused(getPayment, {
    path,
  });
  expect({ status, error }).toEqual({ status: 404, error: envelope.error });
});

test.each([
  ["a field is missing", { ...payment, status: undefined }],
  ["a field is of another type", { ...payment, amountInCents: "2500" }],
  ["an id is not a UUID", { ...payment, id: "1" }],
  ["a timestamp has no milliseconds", { ...payment, createdAt: "2026-01-02T03:04:05Z" }],
  ["a timestamp within it is not UTC", nested({ createdAt: "2026-01-02T03:04:05.678+01:00" })],
  ["a nested object lacks a field", nested({ address: undefined })],
  ["it is a list", [payment]],
  ["it is null", null],
])("a success is rejected when %s", async (_, body) => {
  await expect(answering(body).call(getPayment, { path })).rejects.toThrow();
});

test.each([
  ["another success status", createdPayment, { status: 200 }],
  ["a status that is not described", createdPayment, { status: 202 }],
  [
    "another content type",
    createdPayment,
    { status: 201, headers: { "Content-Type": "text/html" } },
  ],
  ["an invalid Date header", createdPayment, { status: 201, headers: { Date: "now" } }],
  ["a body that is not JSON", "created", { status: 201 }],
])("a creation is rejected with %s", async (_, body, init) => {
  await expect(answering(body, init).createPayment()).rejects.toThrow();
});

test.each([
  ["has another form", { code: "not_found", message: "No." }, 404],
  ["has no message", { error: { type: "invalid_request_error", code: "not_found" } }, 404],
  ["has a status that the operation cannot give", envelope, 409],
  ["is a success", payment, 200],
])("a refusal is rejected when it %s", async (_, body, status) => {
  await expect(answering(body, { status }).refused(getPayment, { path })).rejects.toThrow();
});

test.each([
  ["a body", createPayment, { body: { amount: 2500, orderId: "order_1" } }],
  ["an amount", createPayment, { body: { amount: 1e9, currency: "USD", orderId: "order_1" } }],
  ["a parameter", listPayments, { query: { page: 1 } }],
  ["a parameter's value", listPayments, { query: { limit: 1001 } }],
])("the contract's own requests must match the description: %s", async (_, operation, input) => {
  const body = operation === createPayment ? createdPayment : { data: [], pagination };
  const service = answering(body, { status: operation.successStatus ?? 200 });
  await expect(service.call<unknown>(operation, input)).rejects.toThrow(/to deeply equal \[\]/);
});

test("targetFrom reads environment variables, and needs a URL and a secret key", () => {
  expect(targetFrom({ SETTLEKIT_CONTRACT_SECRET_KEY: "sk_test_1" })).toBeUndefined();
  const url = { SETTLEKIT_CONTRACT_URL: "https://testnet.example/" };
  expect(() => targetFrom(url)).toThrow("SETTLEKIT_CONTRACT_SECRET_KEY is missing.");
  const least = { ...url, SETTLEKIT_CONTRACT_SECRET_KEY: "sk_test_1" };
  expect(targetFrom(least)).toMatchObject({
    baseUrl: "https://testnet.example",
    secretKey: "sk_test_1",
    depositsEnabled: true,
    withdrawals: undefined,
    dashboard: undefined,
  });
  expect(
    targetFrom({
      ...least,
      SETTLEKIT_CONTRACT_DEPOSITS: "disabled",
      SETTLEKIT_CONTRACT_RECIPIENT: "0x1",
      SETTLEKIT_CONTRACT_CHAIN_ID: "8453",
    }),
  ).toMatchObject({
    depositsEnabled: false,
    withdrawals: { recipientAddress: "0x1", chainId: 8453 },
  });
});

const pagination = {
  total: 0,
  limit: 100,
  offset: 0,
  hasMore: false,
  totalPages: 0,
  currentPage: 1,
};

function nested(change: object) {
  return { ...payment, depositAddress: { ...payment.depositAddress, ...change } };
}
