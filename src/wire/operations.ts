import * as z from "zod/mini";
import { openObject, type Schema } from "./fields.ts";
import type { ListOperation, Operation } from "./operation.ts";
import { paginationSchema } from "./pagination.ts";
import {
  type CreatedPayment,
  createdPaymentSchema,
  createPaymentBodySchema,
  type Payment,
  type PaymentState,
  paymentListQuerySchema,
  paymentSchema,
  paymentStateSchema,
  refreshStatusInputSchema,
} from "./payment.ts";
import { createQuoteInputSchema, type Quote, quoteSchema } from "./quote.ts";
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

// The docstrings are also the texts of the OpenAPI document and of the command line: the first sentence is the summary.

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
  operation: Pick<ListOperation<Item>, "name" | "path" | "credential" | "query">,
): ListOperation<Item> {
  const response = openObject({ data: z.array(item), pagination: paginationSchema });
  return { method: "GET", replay: "safe", ...operation, response, essential: ["data"] };
}

/**
 * Create a payment or a deposit. A payment asks for a fixed amount in USD cents; a deposit takes what the customer
 * chooses to send. The same Idempotency-Key with the same parameters returns the original response for 24 hours and
 * creates nothing; with other parameters, it is a conflict.
 */
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

/** Read a payment. */
export const getPayment: Operation<Payment> = read({
  name: "payments.get",
  path: "/v1/external/secretkey-auth/payments/{paymentId}",
  credential: "secretKey",
  response: paymentSchema,
  essential: ["id"],
});

/** List payments. Newest first, unless sorted otherwise. */
export const listPayments: ListOperation<Payment> = readPages(paymentSchema, {
  name: "payments.list",
  path: "/v1/external/secretkey-auth/payments",
  credential: "secretKey",
  query: paymentListQuerySchema,
});

/**
 * Create a withdrawal. Sends crypto of the given value to an address. It is not known whether the service honours a
 * repeated Idempotency-Key, so a repeated request may pay twice.
 */
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

/** Read a withdrawal. */
export const getWithdrawal: Operation<Withdrawal> = read({
  name: "withdrawals.get",
  path: "/v1/external/secretkey-auth/withdrawals/{withdrawalId}",
  credential: "secretKey",
  response: withdrawalSchema,
  essential: ["id"],
});

/** List withdrawals. Only failed withdrawals have `errorMessage`, and only completed ones have `receipt`. */
export const listWithdrawals: ListOperation<Withdrawal> = readPages(withdrawalSchema, {
  name: "withdrawals.list",
  path: "/v1/external/secretkey-auth/withdrawals",
  credential: "secretKey",
  query: withdrawalListQuerySchema,
});

/** Read a payment as its customer. */
export const getCheckoutPayment: Operation<Payment> = read({
  name: "checkout.payment",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}",
  credential: "paymentSecret",
  response: paymentSchema,
  essential: ["id"],
});

/** Read a payment's status. */
export const getCheckoutStatus: Operation<PaymentState> = read({
  name: "checkout.status",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/status",
  credential: "paymentSecret",
  response: paymentStateSchema,
  essential: ["status"],
});

/** List a payment's active quotes. */
export const listQuotes: Operation<Quote[]> = read({
  name: "checkout.quotes.list",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/quotes",
  credential: "paymentSecret",
  response: /* @__PURE__ */ z.array(quoteSchema),
  essential: "a list",
});

/**
 * Create or update a quote. Repeating the request is harmless. Without a chain and a contract, the service chooses the
 * token. Responds with 400 when the payment is no longer pending.
 */
export const createQuote: Operation<Quote> = {
  name: "checkout.quotes.create",
  method: "POST",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/quotes",
  credential: "paymentSecret",
  replay: "safe",
  body: createQuoteInputSchema,
  successStatus: 201,
  response: quoteSchema,
  essential: ["id"],
};

/** Ask the service to look for the customer's transaction. Every field of the body is a hint. */
export const refreshCheckoutStatus: Operation<PaymentState> = {
  name: "checkout.refreshStatus",
  method: "POST",
  path: "/v1/external/payment-secret-auth/payments/{paymentId}/refresh-status",
  credential: "paymentSecret",
  replay: "safe",
  body: refreshStatusInputSchema,
  response: paymentStateSchema,
  essential: ["status"],
};

/** Read the tokens and limits of withdrawals. */
export const getWithdrawalConfig: Operation<WithdrawalConfig> = read({
  name: "dashboard.withdrawalConfig",
  path: "/v1/merchants/{merchantId}/withdrawals/config",
  credential: "accessToken",
  response: withdrawalConfigSchema,
  essential: ["supported"],
});

/** List withdrawals for a dashboard. Its parameters and its response are those of `listWithdrawals`. */
export const listMerchantWithdrawals: ListOperation<Withdrawal> = readPages(withdrawalSchema, {
  name: "dashboard.withdrawals.list",
  path: "/v1/merchants/{merchantId}/withdrawals",
  credential: "accessToken",
  query: withdrawalListQuerySchema,
});

/** Read a withdrawal for a dashboard. Its response is that of `getWithdrawal`. */
export const getMerchantWithdrawal: Operation<Withdrawal> = read({
  name: "dashboard.withdrawals.get",
  path: "/v1/merchants/{merchantId}/withdrawals/{withdrawalId}",
  credential: "accessToken",
  response: withdrawalSchema,
  essential: ["id"],
});

/** List the supported chains that are in use. */
export const listChains: ListOperation<TokenChain> = readPages(tokenChainSchema, {
  name: "chains.list",
  path: "/v1/external/chains",
  credential: "none",
  query: chainListQuerySchema,
});

/** Read a chain. */
export const getChain: Operation<TokenChain> = read({
  name: "chains.get",
  path: "/v1/external/chains/{chainId}",
  credential: "none",
  response: tokenChainSchema,
  essential: ["chainId"],
});

/** List the supported tokens with their prices. */
export const listTokens: ListOperation<Token> = readPages(tokenSchema, {
  name: "tokens.list",
  path: "/v1/external/tokens",
  credential: "none",
  query: tokenListQuerySchema,
});

/** Read a token with its price. */
export const getToken: Operation<Token> = read({
  name: "tokens.get",
  path: "/v1/external/tokens/{tokenId}",
  credential: "none",
  response: tokenSchema,
  essential: ["id"],
});

/** Read the balances of the merchant's wallet. One entry for each token. */
export const getWalletBalances: Operation<WalletBalances> = read({
  name: "wallet.balances",
  path: "/v1/external/secretkey-auth/wallet/balances",
  credential: "secretKey",
  response: walletBalancesSchema,
  essential: ["balances"],
});

/** Create a withdrawal from a dashboard. As unsafe as `createWithdrawal`: a repeated request may pay twice. */
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

// Clients do not reference these lists, so that bundles keep only the operations they call.

/** Every operation. */
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

/** The operations whose method and path the interface document shows. docs/wire.md has the sources of the others. */
export const documentedOperations: readonly Operation<unknown>[] = [
  createPayment,
  getPayment,
  listPayments,
  createWithdrawal,
  getWithdrawal,
  listWithdrawals,
  getWithdrawalConfig,
];
