/**
 * One payment in the customer's browser, with the payment secret alone.
 *
 * @module settlekit/checkout
 */
export { AbortError } from "../errors/abort-error.ts";
export { ApiError } from "../errors/api-error.ts";
export { AuthenticationError } from "../errors/authentication-error.ts";
export { ConfigurationError } from "../errors/configuration-error.ts";
export { ConnectionError } from "../errors/connection-error.ts";
export { InvalidRequestError } from "../errors/invalid-request-error.ts";
export { NotFoundError } from "../errors/not-found-error.ts";
export { RateLimitError } from "../errors/rate-limit-error.ts";
export { ServerError } from "../errors/server-error.ts";
export { type Outcome, SettlekitError } from "../errors/settlekit-error.ts";
export { TimeoutError } from "../errors/timeout-error.ts";
export { UnexpectedResponseError } from "../errors/unexpected-response-error.ts";
export type { ApiPromise, ApiResponse } from "../http/api-promise.ts";
export type { Fetch, FetchInit, FetchResponse, RequestOptions } from "../http/settings.ts";
export type { WireOptions } from "../http/wire-options.ts";
export type { CreateQuoteInput } from "../resources/quotes.ts";
export type { Payment } from "../wire/payment.ts";
export type { PaymentState } from "../wire/payment-state.ts";
export { isFinal, isPaid, type PaymentStatus } from "../wire/payment-status.ts";
export type { Quote } from "../wire/quote.ts";
export type { RefreshStatusInput, WatchOptions } from "./checkout.ts";
export {
  CheckoutClient,
  type CheckoutOptions,
  type PaymentRequestWithQr,
} from "./checkout-client.ts";
export type { PaymentRequest } from "./payment-request.ts";
