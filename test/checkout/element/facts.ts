import type { Payment } from "../../../src/wire/payment.ts";
import type { Quote } from "../../../src/wire/quote.ts";

// A payment with one quote, of which each test changes the fields that it is about.

export const quote: Quote = {
  id: "quote_1",
  paymentId: "payment_1",
  token: {
    id: "token_1",
    symbol: "USDC",
    contractAddress: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    decimals: 6,
    type: "stablecoin",
    assetType: "erc20",
    status: "active",
    chain: {
      chainId: 84_532,
      name: "Base Sepolia",
      nativeSymbol: "ETH",
      nativeDecimals: 18,
      isEnabled: true,
    },
  },
  chainId: 84_532,
  expectedAmountAsset: "25000000",
  rateUsdAsset: "1.00",
  expiresAt: "2026-01-01T00:10:00.000Z",
  status: "active",
  createdAt: "2026-01-01T00:00:00.000Z",
};

export const payment: Payment = {
  id: "payment_1",
  merchantId: "merchant_1",
  merchantShortName: "Sandbox Merchant",
  type: "payment",
  amountInCents: 2500,
  currency: "USD",
  status: "pending",
  depositAddress: {
    id: "address_1",
    type: "EVM",
    address: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    createdAt: "2026-01-01T00:00:00.000Z",
  },
  quotes: [quote],
  receipt: null,
  orderId: "order_1",
  createdAt: "2026-01-01T00:00:00.000Z",
};
