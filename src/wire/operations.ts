import * as z from "zod/mini";
import type { Operation } from "./operation.ts";
import { type PageBody, pageSchema } from "./pagination.ts";
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

/** Interface section 4.1. */
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

/** Interface section 4; the answer is the Payment itself. */
export const getPayment: Operation<Payment> = {
  name: "payments.get",
  method: "GET",
  path: "/v1/external/secretkey-auth/payments/{paymentId}",
  credential: "secretKey",
  replay: "safe",
  response: paymentSchema,
  essential: ["id"],
};

/** Interface section 4.2. */
export const listPayments: Operation<PageBody<Payment>> = {
  name: "payments.list",
  method: "GET",
  path: "/v1/external/secretkey-auth/payments",
  credential: "secretKey",
  replay: "safe",
  query: paymentListQuerySchema,
  response: /* @__PURE__ */ pageSchema(paymentSchema),
  essential: ["data"],
};

/** Interface section 4.4. Whether a repeated Idempotency-Key is honoured is not shown. */
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

/** Interface section 4; the answer is the Withdrawal itself. */
export const getWithdrawal: Operation<Withdrawal> = {
  name: "withdrawals.get",
  method: "GET",
  path: "/v1/external/secretkey-auth/withdrawals/{withdrawalId}",
  credential: "secretKey",
  replay: "safe",
  response: withdrawalSchema,
  essential: ["id"],
};

/** Interface section 4.5. */
export const listWithdrawals: Operation<PageBody<Withdrawal>> = {
  name: "withdrawals.list",
  method: "GET",
  path: "/v1/external/secretkey-auth/withdrawals",
  credential: "secretKey",
  replay: "safe",
  query: withdrawalListQuerySchema,
  response: /* @__PURE__ */ pageSchema(withdrawalSchema),
  essential: ["data"],
};

/** Interface section 4.3. */
export const getCheckoutPayment: Operation<Payment> = {
  name: "checkout.payment",
  method: "GET",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}",
  credential: "paymentSecret",
  replay: "safe",
  response: paymentSchema,
  essential: ["id"],
};

/** Interface section 4.3. */
export const getCheckoutStatus: Operation<PaymentState> = {
  name: "checkout.status",
  method: "GET",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/status",
  credential: "paymentSecret",
  replay: "safe",
  response: paymentStateSchema,
  essential: ["status"],
};

/** Interface section 4.3; the active quotes. */
export const listQuotes: Operation<Quote[]> = {
  name: "checkout.quotes.list",
  method: "GET",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/quotes",
  credential: "paymentSecret",
  replay: "safe",
  response: /* @__PURE__ */ z.array(quoteSchema),
  essential: "a list",
};

/** Interface section 4.3. Creates or updates: the same request twice is harmless. */
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

/** Interface section 4.3. */
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

/** Interface section 4.6. */
export const getWithdrawalConfig: Operation<WithdrawalConfig> = {
  name: "dashboard.withdrawalConfig",
  method: "GET",
  path: "/v1/merchants/{merchantId}/withdrawals/config",
  credential: "accessToken",
  replay: "safe",
  response: withdrawalConfigSchema,
  essential: ["supported"],
};

/** Interface section 4.7. */
export const listMerchantWithdrawals: Operation<PageBody<Withdrawal>> = {
  name: "dashboard.withdrawals.list",
  method: "GET",
  path: "/v1/merchants/{merchantId}/withdrawals",
  credential: "accessToken",
  replay: "safe",
  query: withdrawalListQuerySchema,
  response: /* @__PURE__ */ pageSchema(withdrawalSchema),
  essential: ["data"],
};

/** Interface section 4.7. */
export const getMerchantWithdrawal: Operation<Withdrawal> = {
  name: "dashboard.withdrawals.get",
  method: "GET",
  path: "/v1/merchants/{merchantId}/withdrawals/{withdrawalId}",
  credential: "accessToken",
  replay: "safe",
  response: withdrawalSchema,
  essential: ["id"],
};

/** Published; the chains in use. */
export const listChains: Operation<PageBody<TokenChain>> = {
  name: "chains.list",
  method: "GET",
  path: "/v1/external/chains",
  credential: "none",
  replay: "safe",
  query: chainListQuerySchema,
  response: /* @__PURE__ */ pageSchema(tokenChainSchema),
  essential: ["data"],
};

/** Published. */
export const getChain: Operation<TokenChain> = {
  name: "chains.get",
  method: "GET",
  path: "/v1/external/chains/{chainId}",
  credential: "none",
  replay: "safe",
  response: tokenChainSchema,
  essential: ["chainId"],
};

/** Published; with prices. */
export const listTokens: Operation<PageBody<Token>> = {
  name: "tokens.list",
  method: "GET",
  path: "/v1/external/tokens",
  credential: "none",
  replay: "safe",
  query: tokenListQuerySchema,
  response: /* @__PURE__ */ pageSchema(tokenSchema),
  essential: ["data"],
};

/** Published. */
export const getToken: Operation<Token> = {
  name: "tokens.get",
  method: "GET",
  path: "/v1/external/tokens/{tokenId}",
  credential: "none",
  replay: "safe",
  response: tokenSchema,
  essential: ["id"],
};

/** Published. */
export const getWalletBalances: Operation<WalletBalances> = {
  name: "wallet.balances",
  method: "GET",
  path: "/v1/external/secretkey-auth/wallet/balances",
  credential: "secretKey",
  replay: "safe",
  response: walletBalancesSchema,
  essential: ["balances"],
};

/** Interface section 4.7; published in detail. Whether an Idempotency-Key is honoured is not shown. */
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

/** Every operation. A client's bundle keeps only those that it calls, because nothing in it reads this. */
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
