/**
 * One payment in the customer's browser, with the payment secret alone.
 *
 * @module settlekit/checkout
 */
import type { ReadOptions } from "../http/settings.ts";

/** @deprecated Use `ReadOptions`. */
export type RequestOptions = ReadOptions;
export {
  AbortError,
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  type Outcome,
  RateLimitError,
  ServerError,
  SettlekitError,
  TimeoutError,
  UnexpectedResponseError,
} from "../errors.ts";

export type { ApiPromise, ApiResponse } from "../http/answer.ts";
export type {
  ConnectionOptions,
  Fetch,
  FetchInit,
  FetchResponse,
  ReadOptions,
  WireOptions,
} from "../http/settings.ts";

export type {
  NewPayment,
  Payment,
  PaymentState,
  PaymentStatus,
  RefreshStatusInput,
} from "../wire/payment.ts";
export { isFinal, isPaid } from "../wire/payment-status.ts";

export type { CreateQuoteInput, Quote } from "../wire/quote.ts";
export type { WatchOptions } from "./checkout.ts";
export { CheckoutClient, type PaymentRequestWithQr } from "./checkout-client.ts";
export type { CheckoutOptions } from "./checkout-options.ts";
export type { PaymentRequest } from "./payment-request.ts";
