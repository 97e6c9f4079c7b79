import * as z from "zod/mini";
import { openObject, type Schema } from "./fields.ts";
import type { Operation } from "./operation.ts";
import { type PageBody, paginationSchema } from "./pagination.ts";
import {
  type CreatedPayment,
  createdPaymentSchema,
  createPaymentBodySchema,
  type Payment,
  type PaymentState,
  paymentListQuerySchema,
  paymentSchema,
  paymentStateSchema,
  refreshStatusBodySchema,
} from "./payment.ts";
import { createQuoteBodySchema, type Quote, quoteSchema } from "./quote.ts";
import {
  chainListQuerySchema,
  type Token,
  type TokenChain,
  tokenChainSchema,
  tokenListQuerySchema,
  tokenSchema,
  type WalletBalances,
  walletBalancesSchema,
} from "./token.ts";
import {
  createWithdrawalBodySchema,
  type Withdrawal,
  type WithdrawalConfig,
  withdrawalConfigSchema,
  withdrawalListQuerySchema,
  withdrawalSchema,
} from "./withdrawal.ts";

// What each operation does, and the evidence for it, is in openapi-prose.ts.

/** Reads are always safe to repeat. */
// @__NO_SIDE_EFFECTS__
function read<Response>(
  operation: Omit<Operation<Response>, "method" | "replay">,
): Operation<Response> {
  return { method: "GET", replay: "safe", ...operation };
}

/** Reads a paginated list. */
// @__NO_SIDE_EFFECTS__
function readPages<Item>(
  item: Schema<Item>,
  operation: Pick<Operation<unknown>, "name" | "path" | "credential" | "query">,
): Operation<PageBody<Item>> {
  const response = openObject({ data: z.array(item), pagination: paginationSchema });
  return read({ ...operation, response, essential: ["data"] });
}

export const createPayment: Operation<CreatedPayment> = {
  name: "payments.create",
  method: "POST",
  path: "/v1/external/secretkey-auth/payments",
  credential: "secretKey",
  replay: "keyed",
  body: createPaymentBodySchema,
  successStatus: 201,
  response: createdPaymentSchema,
  essential: ["paymentId", "paymentUrl", "secret"],
};

export const getPayment: Operation<Payment> = read({
  name: "payments.get",
  path: "/v1/external/secretkey-auth/payments/{paymentId}",
  credential: "secretKey",
  response: paymentSchema,
  essential: ["id"],
});

export const listPayments: Operation<PageBody<Payment>> = readPages(paymentSchema, {
  name: "payments.list",
  path: "/v1/external/secretkey-auth/payments",
  credential: "secretKey",
  query: paymentListQuerySchema,
});

// Unsafe, because nothing shows that a repeated Idempotency-Key is honoured.
export const createWithdrawal: Operation<Withdrawal> = {
  name: "withdrawals.create",
  method: "POST",
  path: "/v1/external/secretkey-auth/withdrawals",
  credential: "secretKey",
  replay: "unsafe",
  body: createWithdrawalBodySchema,
  successStatus: 201,
  response: withdrawalSchema,
  essential: ["id"],
};

export const getWithdrawal: Operation<Withdrawal> = read({
  name: "withdrawals.get",
  path: "/v1/external/secretkey-auth/withdrawals/{withdrawalId}",
  credential: "secretKey",
  response: withdrawalSchema,
  essential: ["id"],
});

export const listWithdrawals: Operation<PageBody<Withdrawal>> = readPages(withdrawalSchema, {
  name: "withdrawals.list",
  path: "/v1/external/secretkey-auth/withdrawals",
  credential: "secretKey",
  query: withdrawalListQuerySchema,
});

export const getCheckoutPayment: Operation<Payment> = read({
  name: "checkout.payment",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}",
  credential: "paymentSecret",
  response: paymentSchema,
  essential: ["id"],
});

export const getCheckoutStatus: Operation<PaymentState> = read({
  name: "checkout.status",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/status",
  credential: "paymentSecret",
  response: paymentStateSchema,
  essential: ["status"],
});

export const listQuotes: Operation<Quote[]> = read({
  name: "checkout.quotes.list",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/quotes",
  credential: "paymentSecret",
  response: /* @__PURE__ */ z.array(quoteSchema),
  essential: "a list",
});

// Creates or updates: repeating the request is harmless.
export const createQuote: Operation<Quote> = {
  name: "checkout.quotes.create",
  method: "POST",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/quotes",
  credential: "paymentSecret",
  replay: "safe",
  body: createQuoteBodySchema,
  successStatus: 201,
  response: quoteSchema,
  essential: ["id"],
};

export const refreshCheckoutStatus: Operation<PaymentState> = {
  name: "checkout.refreshStatus",
  method: "POST",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/refresh-status",
  credential: "paymentSecret",
  replay: "safe",
  body: refreshStatusBodySchema,
  response: paymentStateSchema,
  essential: ["status"],
};

export const getWithdrawalConfig: Operation<WithdrawalConfig> = read({
  name: "dashboard.withdrawalConfig",
  path: "/v1/merchants/{merchantId}/withdrawals/config",
  credential: "accessToken",
  response: withdrawalConfigSchema,
  essential: ["supported"],
});

export const listMerchantWithdrawals: Operation<PageBody<Withdrawal>> = readPages(
  withdrawalSchema,
  {
    name: "dashboard.withdrawals.list",
    path: "/v1/merchants/{merchantId}/withdrawals",
    credential: "accessToken",
    query: withdrawalListQuerySchema,
  },
);

export const getMerchantWithdrawal: Operation<Withdrawal> = read({
  name: "dashboard.withdrawals.get",
  path: "/v1/merchants/{merchantId}/withdrawals/{withdrawalId}",
  credential: "accessToken",
  response: withdrawalSchema,
  essential: ["id"],
});

export const listChains: Operation<PageBody<TokenChain>> = readPages(tokenChainSchema, {
  name: "chains.list",
  path: "/v1/external/chains",
  credential: "none",
  query: chainListQuerySchema,
});

export const getChain: Operation<TokenChain> = read({
  name: "chains.get",
  path: "/v1/external/chains/{chainId}",
  credential: "none",
  response: tokenChainSchema,
  essential: ["chainId"],
});

export const listTokens: Operation<PageBody<Token>> = readPages(tokenSchema, {
  name: "tokens.list",
  path: "/v1/external/tokens",
  credential: "none",
  query: tokenListQuerySchema,
});

export const getToken: Operation<Token> = read({
  name: "tokens.get",
  path: "/v1/external/tokens/{tokenId}",
  credential: "none",
  response: tokenSchema,
  essential: ["id"],
});

export const getWalletBalances: Operation<WalletBalances> = read({
  name: "wallet.balances",
  path: "/v1/external/secretkey-auth/wallet/balances",
  credential: "secretKey",
  response: walletBalancesSchema,
  essential: ["balances"],
});

// As unsafe as createWithdrawal.
export const createMerchantWithdrawal: Operation<Withdrawal> = {
  name: "dashboard.withdrawals.create",
  method: "POST",
  path: "/v1/merchants/{merchantId}/withdrawals",
  credential: "accessToken",
  replay: "unsafe",
  body: createWithdrawalBodySchema,
  successStatus: 201,
  response: withdrawalSchema,
  essential: ["id"],
};

/** Every operation. Clients do not reference this table, so that bundles keep only the operations they call. */
export const operationTable = {
  createPayment,
  getPayment,
  listPayments,
  createWithdrawal,
  getWithdrawal,
  listWithdrawals,
  getCheckoutPayment,
  getCheckoutStatus,
  listQuotes,
  createQuote,
  refreshCheckoutStatus,
  getWithdrawalConfig,
  listMerchantWithdrawals,
  getMerchantWithdrawal,
  createMerchantWithdrawal,
  listChains,
  getChain,
  listTokens,
  getToken,
  getWalletBalances,
} satisfies Readonly<Record<string, Operation<unknown>>>;

/** The name of an operation in the table. */
export type OperationId = keyof typeof operationTable;
