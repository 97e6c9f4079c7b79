import type { Payment } from "../../src/wire/payment.ts";
import type { CreatedPayment } from "../../src/wire/payment-creation.ts";

/** A payment as the interface document describes it, field by field. */
export const payment = {
  id: "0b0f1b4e-3b1c-4d57-9d3e-000000000001",
  merchantId: "0b0f1b4e-3b1c-4d57-9d3e-00000000000a",
  merchantShortName: "Corner Shop",
  type: "payment",
  amountInCents: 2500,
  currency: "USD",
  status: "pending",
  depositAddress: {
    id: "0b0f1b4e-3b1c-4d57-9d3e-000000000002",
    paymentId: "0b0f1b4e-3b1c-4d57-9d3e-000000000001",
    type: "EVM",
    address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    createdAt: "2026-01-02T03:04:05.678Z",
  },
  quotes: [
    {
      id: "0b0f1b4e-3b1c-4d57-9d3e-000000000003",
      paymentId: "0b0f1b4e-3b1c-4d57-9d3e-000000000001",
      token: {
        id: "0b0f1b4e-3b1c-4d57-9d3e-000000000004",
        coingeckoApiId: "ethereum",
        chain: {
          chainId: 84532,
          name: "Base Sepolia",
          nativeSymbol: "ETH",
          nativeDecimals: 18,
          isEnabled: true,
        },
        symbol: "ETH",
        contractAddress: "0x0000000000000000000000000000000000000000",
        decimals: 18,
        type: "volatile",
        assetType: "native",
        status: "active",
      },
      chainId: 84532,
      expectedAmountAsset: "10000000000000000",
      rateUsdAsset: "2500.00",
      expiresAt: "2026-01-02T03:14:05.678Z",
      status: "active",
      createdAt: "2026-01-02T03:04:05.678Z",
    },
  ],
  receipt: null,
  orderId: "order_1",
  redirectUrl: "https://shop.example/thanks",
  createdAt: "2026-01-02T03:04:05.678Z",
} satisfies Payment;

/** The answer to a creation (interface section 4.1). */
export const createdPayment = {
  payment,
  paymentUrl: `https://pay.example/payment/${payment.id}`,
  paymentId: payment.id,
  secret: "payment-secret-1",
} satisfies CreatedPayment;
