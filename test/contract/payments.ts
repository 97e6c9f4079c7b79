import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { createPayment, getPayment } from "../../src/wire/operations.ts";
import type { CreatedPayment } from "../../src/wire/payment.ts";
import { newOrder, type Service } from "./service.ts";

/** Interface sections 2.1 to 2.4, 3.1, 4.1 and 8. */
export function paymentContract(service: Service): void {
  const { depositsEnabled, settle } = service.target;
  let created: CreatedPayment;

  beforeAll(async () => {
    created = await service.createPayment({ redirectUrl: "https://shop.example/thanks?order=1" });
  });

  test("a new payment is pending, with its order, an address and no receipt", () => {
    const { payment } = created;
    expect(payment).toMatchObject({
      type: "payment",
      amountInCents: 2500,
      currency: "USD",
      status: "pending",
      receipt: null,
      orderId: expect.stringMatching(/^contract_/),
      redirectUrl: "https://shop.example/thanks?order=1",
      depositAddress: { paymentId: payment.id, type: "EVM" },
    });
    expect(payment.depositAddress?.address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });

  test("a creation returns a payment page for the customer, and a secret of its own", () => {
    const { payment, paymentId, paymentUrl, secret } = created;
    expect(paymentId).toBe(payment.id);
    expect(new URL(paymentUrl).pathname).toMatch(new RegExp(`/payment/${paymentId}$`));
    expect(paymentUrl).not.toContain(secret);
    expect(secret).not.toBe(service.target.secretKey);
    expect(secret.length).toBeGreaterThan(8);
  });

  test("each quote has the amount that settles the payment, its rate and its expiry", () => {
    const { payment } = created;
    expect(payment.quotes.length).toBeGreaterThan(0);
    for (const quote of payment.quotes) {
      expect(quote).toMatchObject({ paymentId: payment.id, status: "active" });
      expect(quote.expectedAmountAsset).toMatch(/^[1-9][0-9]*$/);
      const whole = Number(quote.expectedAmountAsset) / 10 ** quote.token.decimals;
      const cents = whole * Number(quote.rateUsdAsset) * 100;
      expect(cents / payment.amountInCents).toBeCloseTo(1, 2);
      // Published: ten minutes.
      const livesMs = Date.parse(quote.expiresAt) - Date.parse(quote.createdAt);
      expect(livesMs / 60_000).toBeCloseTo(10, 1);
    }
  });

  test("a quote's chain is its token's, and both type and address mark a native asset", () => {
    for (const { token, chainId } of created.payment.quotes) {
      if (token.chain) expect(token.chain.chainId).toBe(chainId);
      const isNativeAddress = /^0x(0{40}|e{40})$/i.test(token.contractAddress);
      expect(isNativeAddress).toBe(token.assetType === "native");
    }
  });

  test("a payment without a redirect has none", async () => {
    const { payment } = await service.createPayment();
    expect(payment.redirectUrl ?? null).toBeNull();
  });

  test("two payments share neither id nor secret nor address", async () => {
    const other = await service.createPayment();
    expect(other.paymentId).not.toBe(created.paymentId);
    expect(other.secret).not.toBe(created.secret);
    expect(other.payment.depositAddress?.id).not.toBe(created.payment.depositAddress?.id);
  });

  test("a payment is read by its id, as it was created", async () => {
    const path = { paymentId: created.paymentId };
    expect(await service.call(getPayment, { path })).toEqual(created.payment);
  });

  test("an unknown id is not found", async () => {
    const refused = await service.refused(getPayment, { path: { paymentId: randomUUID() } });
    expect(refused.status).toBe(404);
  });

  test("a creation may give a type and metadata", async () => {
    const { payment } = await service.createPayment({
      type: "payment",
      customMetadata: JSON.stringify({ basket: [1, 2], ключ: "✓" }),
    });
    expect(payment.type).toBe("payment");
  });

  test("an unknown header changes nothing", async () => {
    await service.createPayment({}, { "X-Settlekit-Retry-Count": "1" });
  });

  test.each([400, 100_000_000])("an amount of %i cents is accepted", async (amount) => {
    expect((await service.createPayment({ amount })).payment.amountInCents).toBe(amount);
  });

  test.each([
    ["missing", undefined],
    ["zero", 0],
    ["negative", -2500],
    ["under every minimum that was ever published", 99],
    ["over the maximum", 100_000_001],
  ])("an amount that is %s is an invalid amount", async (_, amount) => {
    const { status, error } = await service.refused(createPayment, {
      body: { ...newOrder(), amount },
    });
    expect([400, 422]).toContain(status);
    expect(error).toMatchObject({
      type: "invalid_request_error",
      code: "invalid_amount",
      param: "amount",
    });
  });

  test.each([
    ["an unsupported currency", { currency: "EUR" }, "currency"],
    ["no currency", { currency: undefined }, "currency"],
    ["no order id", { orderId: undefined }, "orderId"],
    ["an order id of 256 characters", { orderId: "a".repeat(256) }, "orderId"],
    ["an order id that is not a string", { orderId: 1 }, "orderId"],
    ["an unknown type", { type: "subscription" }, "type"],
    ["metadata that is not a string", { customMetadata: { a: 1 } }, "customMetadata"],
    ["metadata of 2,049 characters", { customMetadata: `"${"a".repeat(2047)}"` }, "customMetadata"],
    ["a redirect of 2,049 characters", { redirectUrl: longUrl }, "redirectUrl"],
  ])("%s is refused, naming the field", async (_, fields, param) => {
    const { status, error } = await service.refused(createPayment, {
      body: { ...newOrder(), ...fields },
    });
    expect([400, 422]).toContain(status);
    expect(error).toMatchObject({ type: "invalid_request_error", param });
  });

  if (depositsEnabled) {
    test("a deposit ignores the amount that it is created with", async () => {
      for (const amount of [undefined, -5]) {
        const fields = { type: "deposit", amount, customerRefId: "customer_1" };
        const { payment } = await service.createPayment(fields);
        expect(payment).toMatchObject({ type: "deposit", status: "pending", currency: "USD" });
        expect(payment.amountInCents).not.toBe(amount);
        expect(payment.quotes).not.toEqual([]);
      }
    });
  } else {
    test("a deposit is refused when the merchant may not create any", async () => {
      const body = { ...newOrder(), type: "deposit" };
      const { status } = await service.refused(createPayment, { body });
      expect([400, 403, 422]).toContain(status);
    });
  }

  if (settle !== undefined) {
    test("a paid payment is completed, with a receipt", async () => {
      const { paymentId } = await service.createPayment();
      await settle(paymentId);
      const payment = await service.call(getPayment, { path: { paymentId } });
      expect(["completed", "confirmed"]).toContain(payment.status);
      expect(payment.receipt).toEqual(expect.anything());
    });
  }
}

const longUrl = `https://shop.example/${"a".repeat(2049 - "https://shop.example/".length)}`;
