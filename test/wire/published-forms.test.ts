import { describe, expect, test } from "vitest";
import { readTolerantly, type Schema } from "../../src/wire/fields.ts";
import { createdPaymentSchema, paymentSchema } from "../../src/wire/payment.ts";
import { quoteSchema } from "../../src/wire/quote.ts";
import { tokenChainSchema, tokenSchema } from "../../src/wire/token.ts";
import { withdrawalSchema } from "../../src/wire/withdrawal.ts";
import { createdPayment, payment, withdrawal } from "./examples.ts";

// Every form of the published descriptions, older, middle and newest, is parsed and typed without drift.

const [quote] = payment.quotes as [(typeof payment.quotes)[number]];
const token = quote.token;
const { receipt } = withdrawal;

const newestChain = { ...token.chain, chainId: "eip155:84532", isTestnet: true };
const newestToken = { ...token, chain: newestChain, tokenPriceUsd: 2500.5 };
const newestQuote = {
  ...quote,
  chainId: "eip155:84532",
  token: newestToken,
  rateUsdAsset: 2500.5,
  amountDueCents: 2510,
  depositAddress: { ...payment.depositAddress, paymentId: null },
};

const nullWhereAllowed = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, null]));

const paymentReceipt = {
  paymentId: payment.id,
  selectedQuote: newestQuote,
  settledToken: newestToken,
  settledChain: newestChain,
  settledAmountAsset: "10000000000000000",
  settledAmountUsd: "25.00",
  ...nullWhereAllowed(
    "txHash txBlockNumber txTimestamp txSenderAddress txGasUsed txTotalCost txTotalCostUsdFractions".split(
      " ",
    ),
  ),
  ...nullWhereAllowed(
    "txIsSponsored processedBy txRiskScore txRiskSeverity txRiskProvider".split(" "),
  ),
  createdAt: payment.createdAt,
};

const withdrawalReceipt = {
  withdrawalId: withdrawal.id,
  ...nullWhereAllowed(
    "settledToken settledChain settledAmountAsset settledAmountUsd txBlockNumber txTimestamp".split(
      " ",
    ),
  ),
  ...nullWhereAllowed(
    "txSenderAddress txGasUsed txTotalCost txTotalCostUsdFractions txIsSponsored processedBy".split(
      " ",
    ),
  ),
  createdAt: withdrawal.createdAt,
};

const { chain: ___, coingeckoApiId: ____, ...chainless } = token;
const { type: _, ...untyped } = createdPayment.payment;
const { paymentId: __, ...ownerless } = payment.depositAddress;

const forms: [string, Schema<unknown>, unknown][] = [
  ["a payment, older", paymentSchema, payment],
  [
    "a payment, newest, whose quotes have the addresses",
    paymentSchema,
    {
      ...payment,
      depositAddress: null,
      quotes: [newestQuote],
      receipt: paymentReceipt,
      amountDueCents: 2510,
      orderId: null,
      redirectUrl: null,
    },
  ],
  ["a deposit address without paymentId", paymentSchema, { ...payment, depositAddress: ownerless }],
  [
    "a response to a creation without the payment's type",
    createdPaymentSchema,
    { ...createdPayment, payment: untyped },
  ],
  ...["refunded", "partially_refunded"].map((status): [string, Schema<unknown>, unknown] => [
    `a payment that is ${status}`,
    paymentSchema,
    { ...payment, status },
  ]),
  ...["webhook", "frontend", "cron", "manual", "shout_webhook"].map(
    (processedBy): [string, Schema<unknown>, unknown] => [
      `a payment processed by ${processedBy}`,
      paymentSchema,
      { ...payment, receipt: { ...paymentReceipt, processedBy, txRiskSeverity: "NO_RISK" } },
    ],
  ),
  ["a withdrawal, older", withdrawalSchema, withdrawal],
  [
    "a withdrawal's receipt of nulls",
    withdrawalSchema,
    { ...withdrawal, receipt: withdrawalReceipt },
  ],
  [
    "a withdrawal, newest",
    withdrawalSchema,
    {
      ...withdrawal,
      chainId: "eip155:84532",
      receipt: { ...receipt, settledToken: newestToken, settledChain: newestChain, txHash: null },
    },
  ],
  ...[
    "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    "tron:0x2b6653dc",
    "bip122:000000000019d6689c085ae165831e93",
    "tvm:-239",
    "xrpl:0",
  ].map((chainId): [string, Schema<unknown>, unknown] => [
    `the chain ${chainId}`,
    tokenChainSchema,
    { ...newestChain, chainId },
  ]),
  ["a token without chain and price-feed identifier", tokenSchema, chainless],
];

test.each(forms)("%s is read without drift", (_, schema, form) => {
  const { drift } = readTolerantly(schema, form);
  expect(drift).toEqual([]);
});

describe("values with several published formats", () => {
  const newest = { ...payment, quotes: [newestQuote], receipt: paymentReceipt };
  const { value } = readTolerantly(paymentSchema, newest);

  test("become numbers if they are ids of EVM chains, however deeply nested", () => {
    expect(JSON.stringify(value)).not.toContain("eip155");
    expect(value.receipt?.settledToken?.chain?.chainId).toBe(84532);
    expect(value.receipt?.selectedQuote?.chainId).toBe(84532);
    expect(value.receipt?.settledChain?.chainId).toBe(84532);
  });

  test("become decimal text if they are rates, in the paid quote as in the others", () => {
    expect(value.receipt?.selectedQuote?.rateUsdAsset).toBe("2500.5");
    expect(value.quotes[0]?.rateUsdAsset).toBe("2500.5");
  });
});

test("a chain that is not an EVM chain keeps its CAIP-2 text", () => {
  const chainId = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";
  expect(quoteSchema.parse({ ...quote, chainId }).chainId).toBe(chainId);
});

test("a withdrawal on a non-EVM chain is drift, because withdrawals go to EVM chains only", () => {
  const { drift } = readTolerantly(withdrawalSchema, { ...withdrawal, chainId: "solana:5eykt4" });
  expect(drift).toEqual(["chainId"]);
});
