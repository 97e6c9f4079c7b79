import { describe, expect, test } from "vitest";
import { readTolerantly } from "../../src/wire/fields.ts";
import { listPayments } from "../../src/wire/operations.ts";
import { createdPaymentSchema, paymentSchema } from "../../src/wire/payment.ts";
import { quoteSchema } from "../../src/wire/quote.ts";
import { paymentEventDataSchema } from "../../src/wire/webhook-event.ts";
import { createdPayment, payment } from "./examples.ts";

const [quote] = payment.quotes;

describe("the documented form", () => {
  test("of a payment, a creation and a page is accepted unchanged", () => {
    const pagination = {
      total: 1,
      limit: 100,
      offset: 0,
      hasMore: false,
      totalPages: 1,
      currentPage: 1,
    };
    const page = { data: [payment], pagination };
    expect(paymentSchema.parse(payment)).toEqual(payment);
    expect(createdPaymentSchema.parse(createdPayment)).toEqual(createdPayment);
    expect(listPayments.response.parse(page)).toEqual(page);
  });

  test("of a payment event needs only status and orderId", () => {
    const data = { status: "confirmed", orderId: "order_1" };
    expect(paymentEventDataSchema.parse(data)).toEqual(data);
  });
});

describe("published variants of a payment", () => {
  test.each<[string, object]>([
    ["null orderId and redirectUrl", { orderId: null, redirectUrl: null }],
    ["no deposit address of its own", { depositAddress: null }],
    [
      "the newer amounts",
      {
        merchantLogoUrl: null,
        amountDueCents: 2500,
        convenienceFeeCents: null,
        merchantFeeCents: 10,
        swapFeeCents: 5,
        amountMerchantNetCents: 2485,
      },
    ],
    ["an unknown status", { status: "on_hold" }],
    [
      "a receipt of the first shape",
      {
        receipt: {
          paymentId: payment.id,
          settledToken: { symbol: "USDC", decimals: 6, contractAddress: "0x1" },
          settledChain: { chainId: 8453, name: "Base" },
          settledAmountAsset: "25000000",
          txHash: "0xabc",
          txBlockNumber: 7,
          txIsSponsored: false,
          txRiskScore: null,
        },
      },
    ],
    [
      "a receipt of the second shape",
      {
        receipt: {
          transactionHash: "0xabc",
          blockNumber: 7,
          confirmations: 3,
          requiredConfirmations: 10,
          completedAt: null,
        },
      },
    ],
    ["new fields", { loyaltyPoints: 3 }],
  ])("with %s are accepted unchanged", (_, changes) => {
    const variant = { ...payment, ...changes };
    expect(paymentSchema.parse(variant)).toEqual(variant);
  });

  test("without the optional fields are accepted", () => {
    const { depositAddress, redirectUrl, receipt, orderId, ...rest } = payment;
    expect(paymentSchema.parse(rest)).toEqual(rest);
    expect([depositAddress, redirectUrl, receipt, orderId]).toHaveLength(4);
  });
});

describe("published variants of a quote", () => {
  test("with a numeric rate get the documented decimal string", () => {
    const variant = { ...quote, rateUsdAsset: 2500.5 };
    expect(quoteSchema.parse(variant)).toEqual({ ...quote, rateUsdAsset: "2500.5" });
    expect(variant.rateUsdAsset).toBe(2500.5);
  });

  test.each([
    [1e-7, "0.0000001"],
    [2.5e-21, "0.0000000000000000000025"],
    [1.234567890123456e-9, "0.000000001234567890123456"],
    [5e-324, `0.${"0".repeat(323)}5`],
    [-1.5e-7, "-0.00000015"],
    [1.25e21, "1250000000000000000000"],
    [1.7976931348623157e308, `17976931348623157${"0".repeat(292)}`],
  ])("with the rate %d get every digit, without an exponent", (rateUsdAsset, text) => {
    expect(quoteSchema.parse({ ...quote, rateUsdAsset })).toEqual({ ...quote, rateUsdAsset: text });
  });

  test("with an amount that is not text are drift", () => {
    const receipt = { settledAmountAsset: 1e21 };
    expect(readTolerantly(paymentSchema, { ...payment, receipt }).drift).toEqual([
      "receipt.settledAmountAsset",
    ]);
  });

  test("with a CAIP-2 chain id get the documented number", () => {
    const chain = { ...quote?.token.chain, chainId: "eip155:84532" };
    const variant = { ...quote, chainId: "eip155:84532", token: { ...quote?.token, chain } };
    expect(quoteSchema.parse(variant)).toEqual(quote);
    expect(variant.chainId).toBe("eip155:84532");
  });

  test.each(["Solana:mainnet", "eip155:", "eip155:x", "eip155:01", "84532"])(
    "with the chain id %j are drift",
    (chainId) => {
      expect(readTolerantly(quoteSchema, { ...quote, chainId }).drift).toEqual(["chainId"]);
    },
  );

  test("with an address, and a token without chain and price-feed identifier, are accepted", () => {
    const { chain, coingeckoApiId, ...token } = quote?.token ?? {};
    const variant = { ...quote, token, depositAddress: payment.depositAddress };
    expect(quoteSchema.parse(variant)).toEqual(variant);
    expect([chain, coingeckoApiId]).toHaveLength(2);
  });
});
