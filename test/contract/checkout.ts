import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import {
  createQuote,
  getCheckoutPayment,
  getCheckoutStatus,
  listQuotes,
  refreshCheckoutStatus,
} from "../../src/wire/operations.ts";
import type { CreatedPayment } from "../../src/wire/payment.ts";
import type { Service } from "./service.ts";
import { caip2 } from "./target.ts";

/** Interface section 4.3; paths and bodies are published elsewhere. */
export function checkoutContract(service: Service): void {
  const { depositsEnabled, settle } = service.target;
  let created: CreatedPayment;
  const as = ({ paymentId, secret }: CreatedPayment) => ({ path: { paymentId }, secret });

  beforeAll(async () => {
    created = await service.createPayment();
  });

  test("show the customer the payment, without its secret", async () => {
    const payment = await service.call(getCheckoutPayment, as(created));
    expect(payment).toMatchObject({ id: created.paymentId, amountInCents: 2500 });
    expect(JSON.stringify(payment)).not.toContain(created.secret);
  });

  test("return the status alone", async () => {
    expect(await service.call(getCheckoutStatus, as(created))).toMatchObject({
      id: created.paymentId,
      status: "pending",
    });
  });

  test("list the active quotes", async () => {
    const quotes = await service.call(listQuotes, as(created));
    expect(quotes.length).toBeGreaterThan(0);
    for (const quote of quotes) {
      expect(quote).toMatchObject({ paymentId: created.paymentId, status: "active" });
    }
  });

  test("create a default quote for an empty body", async () => {
    const quote = await service.call(createQuote, { ...as(created), body: {} });
    expect(quote).toMatchObject({ paymentId: created.paymentId, status: "active" });
    const quotes = await service.call(listQuotes, as(created));
    expect(quotes.map(({ id }) => id)).toContain(quote.id);
  });

  test("create a quote in the requested token, and no second one for a repeated request", async () => {
    const [wanted] = created.payment.quotes;
    const { chainId = 0, token } = wanted ?? {};
    const body = { chainId, contractAddress: token?.contractAddress };
    const first = await service.call(createQuote, { ...as(created), body });
    expect(first).toMatchObject({ chainId, token: { symbol: token?.symbol }, status: "active" });
    const before = await service.call(listQuotes, as(created));
    await service.call(createQuote, { ...as(created), body });
    const after = await service.call(listQuotes, as(created));
    expect(after).toHaveLength(before.length);
  });

  test("accept a chain id in CAIP-2 form", async () => {
    const [wanted] = created.payment.quotes;
    const { chainId = 0, token } = wanted ?? {};
    const body = { chainId: caip2(chainId), contractAddress: token?.contractAddress };
    const quote = await service.call(createQuote, { ...as(created), body });
    expect(quote.token.symbol).toBe(token?.symbol);
  });

  test("refuse a quote in an unknown token", async () => {
    const [{ chainId = 0 } = {}] = created.payment.quotes;
    const contractAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    const body = { chainId, contractAddress };
    const { status, error } = await service.refused(createQuote, { ...as(created), body });
    expect([400, 422]).toContain(status);
    expect(error.type).toBe("invalid_request_error");
  });

  if (depositsEnabled) {
    test("let the customer of a deposit choose the amount", async () => {
      const deposit = await service.createPayment({ type: "deposit" });
      const tokens: string[] = [];
      const quoted = async (forceDepositAmount: number) => {
        const body = { forceDepositAmount };
        const quote = await service.call(createQuote, { ...as(deposit), body });
        tokens.push(quote.token.id);
        const whole = Number(quote.expectedAmountAsset) / 10 ** quote.token.decimals;
        return whole * Number(quote.rateUsdAsset);
      };
      expect(await quoted(4_200)).toBeCloseTo(42, 0);
      expect(await quoted(12_300)).toBeCloseTo(123, 0);
      // The quote is updated; no second one is added.
      const active = await service.call(listQuotes, as(deposit));
      expect(active.filter(({ token }) => tokens.includes(token.id))).toHaveLength(1);
    });

    test.each([0, -1, 1.5])("refuse %d cents for a deposit", async (forceDepositAmount) => {
      const deposit = await service.createPayment({ type: "deposit" });
      const body = { forceDepositAmount };
      const { status, error } = await service.refused(createQuote, { ...as(deposit), body });
      expect([400, 422]).toContain(status);
      expect(error).toMatchObject({ type: "invalid_request_error", param: "forceDepositAmount" });
    });
  }

  test("refuse an amount for a payment with a fixed amount", async () => {
    const body = { forceDepositAmount: 5_000 };
    const { status } = await service.refused(createQuote, { ...as(created), body });
    expect([400, 422]).toContain(status);
  });

  test.each([
    ["nothing", {}],
    ["a transaction", { transactionHash: `0x${"ab".repeat(32)}`, chainId: 84_532 }],
  ])("refresh the status, given %s", async (_, body) => {
    const state = await service.call(refreshCheckoutStatus, { ...as(created), body });
    expect(state).toMatchObject({ id: created.paymentId, status: "pending" });
  });

  if (settle !== undefined) {
    test("create no quote for a payment that is no longer pending", async () => {
      const paid = await service.createPayment();
      await settle(paid.paymentId);
      const refused = await service.refused(createQuote, { ...as(paid), body: {} });
      expect(refused.status).toBe(400);
      expect(await service.call(listQuotes, as(paid))).toEqual([]);
      const { status } = await service.call(getCheckoutStatus, as(paid));
      expect(["completed", "confirmed"]).toContain(status);
    });
  }

  test("refuse the secret of another payment", async () => {
    const other = await service.createPayment();
    const { status } = await service.refused(getCheckoutPayment, {
      ...as(created),
      secret: other.secret,
    });
    expect([401, 403, 404]).toContain(status);
  });

  test("refuse the merchant's key as a payment secret", async () => {
    const { secretKey } = service.target;
    const { status } = await service.refused(getCheckoutPayment, {
      ...as(created),
      secret: secretKey,
    });
    expect([401, 403]).toContain(status);
  });

  test("refuse an unknown payment", async () => {
    const path = { paymentId: randomUUID() };
    const { status } = await service.refused(getCheckoutStatus, { ...as(created), path });
    expect([401, 403, 404]).toContain(status);
  });
}
