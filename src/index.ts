/**
 * The server client: payments, withdrawals, and the errors and helpers around them. For servers only.
 *
 * @module settlekit
 */
import type { Withdrawals } from "./resources/withdrawals.ts";

/** `dashboard(...).withdrawals`. An alias, so that compilers write `Withdrawals` where they infer a type. */
export type DashboardWithdrawals = Withdrawals;
export type { Checkout, WatchOptions } from "./checkout/checkout.ts";
export type { PaymentRequest } from "./checkout/payment-request.ts";
export { type DashboardOptions, MerchantClient } from "./client.ts";
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
  StoreError,
  TimeoutError,
  UnexpectedResponseError,
  type UnexpectedResponseErrorOptions,
  type WebhookFailureReason,
  WebhookVerificationError,
} from "./errors.ts";
export { type Address, isAddress, toChecksumAddress, toRecipientAddress } from "./evm/address.ts";
export type { AssetFields, Chain } from "./evm/chains.ts";
export { chains, findChain, fromCaip2, isNativeAsset, toCaip2 } from "./evm/chains.ts";
export type { NativePayment, TokenPayment } from "./evm/payment-uri.ts";
export { nativePaymentUri, tokenPaymentUri } from "./evm/payment-uri.ts";
export { formatUnits, parseUnits, usdToCents } from "./evm/units.ts";
export type { ApiPromise, ApiResponse } from "./http/answer.ts";
export type {
  AttemptEvent,
  ClientEvent,
  DriftEvent,
  EndEvent,
  Logger,
  PauseEvent,
  RetryEvent,
  StartEvent,
} from "./http/events.ts";
export type {
  AfterResponseHook,
  AfterResponseState,
  BeforeRequestHook,
  BeforeRequestState,
  ClientHooks,
} from "./http/hooks.ts";
export { idempotencyKeyFrom } from "./http/idempotency.ts";
export type {
  ConnectionOptions,
  Fetch,
  FetchInit,
  FetchResponse,
  ReadOptions,
  RequestOptions,
  WireOptions,
} from "./http/settings.ts";
export type { ClientOptions } from "./options.ts";

export type { AccessToken, Metadata } from "./resources/arguments.ts";
export type { Chains, Tokens, Wallet } from "./resources/assets.ts";
export type { Dashboard } from "./resources/dashboard.ts";
export type { FindOptions } from "./resources/lists/find-by-order-id.ts";
export type { ListOptions, Page, PagePromise } from "./resources/lists/page.ts";
export type { Identified } from "./resources/lists/page-walk.ts";
export type { CreateDepositInput, CreatePaymentInput, Payments } from "./resources/payments.ts";
export type { CreateOnceOptions } from "./resources/payouts/create-once.ts";
export type { CreateOnceInput, CreateWithdrawalInput } from "./resources/payouts/payout.ts";

export type { Quotes } from "./resources/quotes.ts";
export type { RawRequest, RequestAuth } from "./resources/request.ts";
export type { WaitOptions } from "./resources/waiting.ts";
export type { Withdrawals } from "./resources/withdrawals.ts";
export type { Environment } from "./wire/credential.ts";
export type { Caip2, ChainId, OpenEnum } from "./wire/fields.ts";
export type { PageQuery, Pagination } from "./wire/pagination.ts";
export type {
  CreatedPayment,
  NewPayment,
  Payment,
  PaymentListQuery,
  PaymentState,
  PaymentStatus,
  PaymentType,
  RefreshStatusInput,
} from "./wire/payment.ts";

export { isFinal, isPaid } from "./wire/payment-status.ts";
export type { CreateQuoteInput, DepositAddress, Quote } from "./wire/quote.ts";

export type { PaymentReceipt, WithdrawalReceipt } from "./wire/receipt.ts";

export type {
  ChainListQuery,
  SettledChain,
  SettledToken,
  Token,
  TokenBalance,
  TokenChain,
  TokenListQuery,
  WalletBalances,
} from "./wire/token.ts";

export type {
  Withdrawal,
  WithdrawalConfig,
  WithdrawalLimits,
  WithdrawalListQuery,
  WithdrawalStatus,
} from "./wire/withdrawal.ts";
