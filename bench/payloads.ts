// Requests and responses of the benches.

export const paymentsPath = "/v1/external/secretkey-auth/payments";

export const order = { amount: 2500, currency: "USD", orderId: "order_1" } as const;

export const headersWith = (secretKey: string) => ({
  "Content-Type": "application/json",
  "X-Service-Secret-Key": secretKey,
});

/** The response to a creation as the interface describes it, with one quote: about 1,500 bytes. */
export const createdPayment = {
  payment: {
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
  },
  paymentUrl: "https://pay.example/payment/0b0f1b4e-3b1c-4d57-9d3e-000000000001",
  paymentId: "0b0f1b4e-3b1c-4d57-9d3e-000000000001",
  secret: "payment-secret-1",
};

/** A withdrawal as the interface describes it; index 0 is the newest. */
function withdrawal(index: number, status: "completed" | "pending") {
  const time = new Date(1_700_000_000_000 - index * 1000).toISOString();
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
  return {
    id,
    merchantId: "00000000-0000-4000-8000-00000000000a",
    amountInCents: 12_500,
    chainId: 84532,
    recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    status,
    currency: "USD",
    orderId: `payout_${index}`,
    customMetadata: '{"seller":9}',
    errorMessage: null,
    receipt: status === "completed" ? receipt(id, time) : null,
    createdAt: time,
    updatedAt: time,
  };
}

function receipt(withdrawalId: string, time: string) {
  return {
    withdrawalId,
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
    txTimestamp: time,
    txSenderAddress: "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    txGasUsed: 65_000,
    txTotalCost: "65000000000000",
    txTotalCostUsdFractions: 20,
    txIsSponsored: false,
    processedBy: "cron",
    createdAt: time,
  };
}

interface PageRequest {
  readonly status: "completed" | "pending";
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
}

/** A page of a list of `total` withdrawals (interface section 4.5). */
export function withdrawalPage({ status, total, offset, limit }: PageRequest) {
  const length = Math.max(0, Math.min(limit, total - offset));
  const data = Array.from({ length }, (_, index) => withdrawal(offset + index, status));
  const hasMore = offset + length < total;
  const totalPages = Math.ceil(total / limit);
  const currentPage = Math.floor(offset / limit) + 1;
  return { data, pagination: { total, limit, offset, hasMore, totalPages, currentPage } };
}
