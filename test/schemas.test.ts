import { sValidator } from "@hono/standard-validator";
import { Hono } from "hono";
import type { CreatedPayment, Payment, Withdrawal } from "settlekit";
import { signWebhook, Webhooks } from "settlekit/webhooks";
import { expect, expectTypeOf, test, vi } from "vitest";
import * as z from "zod";
import { createdPayment, payment, withdrawal } from "./wire/examples.ts";

// As in the build: these schemas are made with the user's zod.
vi.mock("zod/mini", () => import("zod"));
vi.resetModules();
const schemas = await import("settlekit/schemas");
const {
  createdPaymentSchema,
  paymentSchema,
  quoteSchema,
  tokenSchema,
  webhookEventSchema,
  withdrawalSchema,
} = schemas;

test("a stored payment is checked, and typed as the client types it", () => {
  const stored: unknown = JSON.parse(JSON.stringify(payment));
  const read = paymentSchema.parse(stored);
  expect(read).toEqual(payment);
  expectTypeOf(read.quotes).toEqualTypeOf<Payment["quotes"]>();
  expectTypeOf(read).toExtend<Payment>();
  expectTypeOf<z.infer<typeof createdPaymentSchema>>().toExtend<CreatedPayment>();
  expectTypeOf<z.infer<typeof withdrawalSchema>>().toExtend<Withdrawal>();
  // A typed route may respond with what the client returns.
  expectTypeOf<Payment>().toExtend<z.infer<typeof paymentSchema>>();
  expectTypeOf<Withdrawal>().toExtend<z.infer<typeof withdrawalSchema>>();
});

test("an invalid payment is refused with the paths of its problems", () => {
  const { quotes: _, ...rest } = payment;
  const { error } = paymentSchema.safeParse({ ...rest, amountInCents: "2500" });
  expect(error?.issues.map(({ path }) => path.join("."))).toEqual(["amountInCents", "quotes"]);
});

test("the newer published forms are converted, and unknown fields kept", () => {
  const [quote] = payment.quotes;
  const newest = { ...quote, chainId: "eip155:8453", rateUsdAsset: 2500.5, loyaltyPoints: 3 };
  expect(quoteSchema.parse(newest)).toEqual({
    ...quote,
    chainId: 8453,
    rateUsdAsset: "2500.5",
    loyaltyPoints: 3,
  });
});

test("the schemas are zod's own, and can be picked from, extended and nested", () => {
  const order = z.object({
    number: z.int(),
    payment: paymentSchema.pick({ id: true, status: true }).extend({ note: z.string() }),
    payout: withdrawalSchema.optional(),
  });
  const value = { number: 7, payment: { id: payment.id, status: "pending", note: "gift" } };
  expect(order.parse(value)).toEqual(value);
  expect(order.safeParse({ ...value, payment: { id: payment.id } }).success).toBe(false);
  expect(z.toJSONSchema(tokenSchema, { io: "input" })).toMatchObject({
    type: "object",
    properties: { symbol: { type: "string" } },
  });
});

test.each(Object.entries(schemas))(
  "%s has a JSON Schema for its input and for its output",
  (_, schema) => {
    for (const io of ["input", "output"] as const) {
      expect(() => z.toJSONSchema(schema, { io })).not.toThrow();
    }
  },
);

test("the JSON Schema of an output has the types that values are converted to", () => {
  const { properties } = z.toJSONSchema(quoteSchema);
  expect(properties?.rateUsdAsset).toEqual({ type: "string" });
});

test("a webhook event's data is typed by its name", () => {
  const event = webhookEventSchema.parse({
    event: "payment.updated",
    data: { status: "completed", orderId: "order_1" },
  });
  if (event.event === "payment.updated")
    expectTypeOf(event.data.orderId).toEqualTypeOf<string | null>();
  expect(event.data.status).toBe("completed");
  const paid = { event: "payment.confirmed", data: { status: "completed", orderId: null } };
  expect(webhookEventSchema.parse(paid)).toEqual(paid);
  expect(webhookEventSchema.safeParse({ ...paid, event: "payment.paid" }).success).toBe(false);
});

test("a verified webhook has the schema's form, whichever form its body was in", () => {
  const data = { status: "completed", orderId: "order_1" };
  const body = JSON.stringify({ type: "payment.updated", data: { payment: data }, timestamp: 1 });
  const secret = "whsec_test";
  const webhook = new Webhooks({ secret }).verifySync(signWebhook({ secret, body }));
  expect(webhookEventSchema.parse(webhook)).toMatchObject({ event: "payment.updated", data });
  expect(webhookEventSchema.safeParse(JSON.parse(body)).success).toBe(false);
});

test("a Hono route accepts the schemas as Standard Schema, and refuses an invalid withdrawal", async () => {
  const app = new Hono().post("/withdrawals", sValidator("json", withdrawalSchema), (context) =>
    context.json({ cents: context.req.valid("json").amountInCents }),
  );
  const post = (body: unknown) =>
    app.request("/withdrawals", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect(await (await post(withdrawal)).json()).toEqual({ cents: withdrawal.amountInCents });
  expect((await post({ ...withdrawal, amountInCents: null })).status).toBe(400);
});

test("a response to a creation can be a fixture with only the fields that the schema requires", () => {
  const fixture = createdPaymentSchema.parse(createdPayment);
  expect(fixture.secret).toBe(createdPayment.secret);
});
