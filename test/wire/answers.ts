import type { operationTable } from "../../src/wire/operations.ts";
import { createdPayment, payment, token, withdrawal, withdrawalConfig } from "./examples.ts";

const pagination = {
  total: 2,
  limit: 100,
  offset: 0,
  hasMore: false,
  totalPages: 1,
  currentPage: 1,
};
const paymentState = { id: payment.id, status: "pending" };
const receipt = { settledToken: { symbol: "USDC", decimals: 6 }, txBlockNumber: 7, txRiskScore: 1 };
// A copy, so that altering one payment of a list leaves the other alone.
const paid = structuredClone({ ...payment, status: "completed", receipt });

/** A complete response to every operation. */
export const answers = {
  createPayment: createdPayment,
  getPayment: paid,
  listPayments: { data: [payment, paid], pagination },
  createWithdrawal: withdrawal,
  getWithdrawal: withdrawal,
  listWithdrawals: { data: [withdrawal, { ...withdrawal, receipt: null }], pagination },
  getCheckoutPayment: payment,
  getCheckoutStatus: paymentState,
  listQuotes: payment.quotes,
  createQuote: payment.quotes[0] ?? {},
  refreshCheckoutStatus: paymentState,
  getWithdrawalConfig: withdrawalConfig,
  listMerchantWithdrawals: { data: [withdrawal], pagination },
  getMerchantWithdrawal: withdrawal,
  createMerchantWithdrawal: withdrawal,
  listChains: { data: [token.chain], pagination },
  getChain: token.chain,
  listTokens: { data: [token], pagination },
  getToken: token,
  getWalletBalances: {
    balances: [{ chainId: 84532, token, amountRaw: "1500000", amountFormatted: null }],
  },
} satisfies Record<keyof typeof operationTable, object>;
