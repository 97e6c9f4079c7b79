/**
 * The server client: payments, withdrawals, and the errors and helpers around them. For servers only.
 *
 * @module settlekit
 */
export type { Checkout, RefreshStatusInput, WatchOptions } from "./checkout/checkout.ts";
export type { PaymentRequest } from "./checkout/payment-request.ts";
export { type DashboardOptions, MerchantClient } from "./client.ts";
export type { ClientOptions } from "./configuration.ts";
export {
  AbortError,
  ApiError,
  type ApiErrorOptions,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  IdempotencyConflictError,
  InvalidRequestError,
  NotFoundError,
  type Outcome,
  OutcomeUnknownError,
  type OutcomeUnknownErrorOptions,
  PermissionError,
  RateLimitError,
  ServerError,
  SettlekitError,
  type SettlekitErrorOptions,
  TimeoutError,
  UnexpectedResponseError,
  type UnexpectedResponseErrorOptions,
  type WebhookFailureReason,
  WebhookVerificationError,
} from "./errors.ts";

export { type Address, isAddress, toChecksumAddress } from "./evm/address.ts";
export { fromCaip2, toCaip2 } from "./evm/caip2.ts";
export { type Chain, chains, findChain } from "./evm/chains.ts";
export { type AssetFields, isNativeAsset } from "./evm/native-asset.ts";
export {
  type NativePayment,
  nativePaymentUri,
  type TokenPayment,
  tokenPaymentUri,
} from "./evm/payment-uri.ts";
export { toRecipientAddress } from "./evm/recipient-address.ts";
export { formatUnits, parseUnits, usdToCents } from "./evm/units.ts";
export type { ApiPromise, ApiResponse } from "./http/api-promise.ts";
export type {
  AttemptEvent,
  ClientEvent,
  DriftEvent,
  EndEvent,
  Logger,
  RetryEvent,
  StartEvent,
} from "./http/events.ts";
export { idempotencyKeyFrom } from "./http/idempotency.ts";
export type { Fetch, FetchInit, FetchResponse, RequestOptions } from "./http/settings.ts";
export type { WireOptions } from "./http/wire-options.ts";
export type { Metadata } from "./resources/arguments.ts";
export type { CreateOnceOptions } from "./resources/create-once.ts";
export type { CreateDepositInput, CreatePaymentInput } from "./resources/create-payment.ts";
export type { CreateWithdrawalInput } from "./resources/create-withdrawal.ts";
export type { AccessToken } from "./resources/credentials.ts";
export type { Dashboard, DashboardWithdrawals } from "./resources/dashboard.ts";
export type { FindOptions } from "./resources/find-by-order-id.ts";
export type { ListOptions } from "./resources/list.ts";
export type { Page, PagePromise } from "./resources/page.ts";
export type { Identified } from "./resources/page-walk.ts";
export type { Payments } from "./resources/payments.ts";
export type { CreateQuoteInput, Quotes } from "./resources/quotes.ts";
export type { RawRequest, RequestAuth } from "./resources/raw-request.ts";
export type { WaitOptions } from "./resources/wait-until-final.ts";
export type { CreateOnceInput, Withdrawals } from "./resources/withdrawals.ts";
export type { DepositAddress } from "./wire/deposit-address.ts";
export type { Environment } from "./wire/environment.ts";
export type { OpenEnum } from "./wire/open-enum.ts";
export type { Pagination } from "./wire/pagination.ts";
export type { Payment, PaymentType } from "./wire/payment.ts";
export type { CreatedPayment } from "./wire/payment-creation.ts";
export type { PaymentListQuery } from "./wire/payment-list.ts";
export type { PaymentReceipt } from "./wire/payment-receipt.ts";
export type { PaymentState } from "./wire/payment-state.ts";
export { isFinal, isPaid, type PaymentStatus } from "./wire/payment-status.ts";
export type { Quote } from "./wire/quote.ts";
export type { SettledChain, SettledToken } from "./wire/settlement.ts";
export type { Token, TokenChain } from "./wire/token.ts";
export type { Withdrawal, WithdrawalReceipt, WithdrawalStatus } from "./wire/withdrawal.ts";
export type { WithdrawalConfig, WithdrawalLimits } from "./wire/withdrawal-config.ts";
export type { WithdrawalListQuery } from "./wire/withdrawal-list.ts";
