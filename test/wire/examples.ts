import type { CreatedPayment, Payment } from "../../src/wire/payment.ts";
import type { Token } from "../../src/wire/token.ts";
import type { Withdrawal, WithdrawalConfig } from "../../src/wire/withdrawal.ts";

/** A token as the interface document describes it (section 2.4). */
export const token = {
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
} satisfies Token;

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
      token,
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

/** The response to a creation (interface section 4.1). */
export const createdPayment = {
  payment,
  paymentUrl: `https://pay.example/payment/${payment.id}`,
  paymentId: payment.id,
  secret: "payment-secret-1",
} satisfies CreatedPayment;

/** A completed withdrawal as the interface document describes it (sections 2.5 and 2.6). */
export const withdrawal = {
  id: "0b0f1b4e-3b1c-4d57-9d3e-000000000005",
  merchantId: payment.merchantId,
  amountInCents: 12_500,
  chainId: 84532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  status: "completed",
  currency: "USD",
  orderId: "payout_1",
  customMetadata: '{"seller":9}',
  errorMessage: null,
  receipt: {
    withdrawalId: "0b0f1b4e-3b1c-4d57-9d3e-000000000005",
    settledToken: {
      symbol: "USDC",
      decimals: 6,
      contractAddress: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    },
    settledChain: { chainId: 84532, name: "Base Sepolia" },
    settledAmountAsset: "125000000",
    settledAmountUsd: "125.00",
    txHash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    txBlockNumber: 1_234_567,
    txTimestamp: "2026-01-02T03:05:05.678Z",
    txSenderAddress: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    txGasUsed: 65_000,
    txTotalCost: "65000000000000",
    txTotalCostUsdFractions: 20,
    txIsSponsored: false,
    processedBy: "cron",
    createdAt: "2026-01-02T03:05:06.678Z",
  },
  createdAt: "2026-01-02T03:04:05.678Z",
  updatedAt: "2026-01-02T03:05:06.678Z",
} satisfies Withdrawal;

export const withdrawalConfig = {
  backendWallet: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  supported: [token],
  limits: { minAmountInCents: 100, maxAmountInCents: 100_000_000 },
} satisfies WithdrawalConfig;
