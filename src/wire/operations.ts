import * as z from "zod/mini";
import type { Schema } from "./fields.ts";
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
  createWithdrawalBodySchema,
  type Withdrawal,
  type WithdrawalConfig,
  withdrawalConfigSchema,
  withdrawalListQuerySchema,
  withdrawalSchema,
} from "./withdrawal.ts";

/** Which credential an operation is called with (interface section 5). */
export type Credential = "secretKey" | "paymentSecret" | "accessToken";

/**
 * Whether a request may be repeated when nobody knows what became of it.
 *
 * - `safe`: repeating is harmless.
 * - `keyed`: harmless with the same Idempotency-Key, within the service's window.
 * - `unsafe`: not known to be harmless.
 */
export type Replay = "safe" | "keyed" | "unsafe";

/** One operation of the service: everything that the client, the sandbox and the docs need of it. */
export interface Operation<Response> {
  /** The method that calls it, such as `payments.create`. */
  readonly name: string;
  readonly method: "GET" | "POST";
  /** Relative to the base URL, with `{placeholders}`. */
  readonly path: string;
  readonly credential: Credential;
  readonly replay: Replay;
  readonly body?: Schema<unknown>;
  /** Strict: a client refuses a filter that the operation does not have. */
  readonly query?: z.ZodMiniObject;
  readonly successStatus: 200 | 201;
  readonly response: Schema<Response>;
  /** Fields of the answer that a caller cannot do without; or that the answer is a list, or z.unknown(). */
  readonly essential: readonly string[] | "a list" | "anything";
}

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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
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
  successStatus: 200,
  response: withdrawalSchema,
  essential: ["id"],
};

/**
 * Every operation, for whoever needs them all. Apart from the operations, so that a client's bundle keeps
 * only those that it calls: a namespace that is used as a value would keep all of them in every bundle.
 */
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
} satisfies Readonly<Record<string, Operation<unknown>>>;

/** What an operation is called in the table. */
export type OperationId = keyof typeof operationTable;
