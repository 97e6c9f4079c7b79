import { Checkout } from "./checkout/checkout.ts";
import type { ApiPromise } from "./http/answer.ts";
import type { Observer } from "./http/events.ts";
import { Http } from "./http/http.ts";
import type { RequestOptions } from "./http/settings.ts";
import { type ClientOptions, configure } from "./options.ts";
import { type AccessToken, bearerToken, paymentSecret } from "./resources/arguments.ts";
import { Chains, Tokens, Wallet } from "./resources/assets.ts";
import { Dashboard } from "./resources/dashboard.ts";
import { Payments } from "./resources/payments.ts";
import { type RawRequest, rawRequest } from "./resources/request.ts";
import { Withdrawals } from "./resources/withdrawals.ts";
import { channel, requireServer, requireSupportedNode } from "./runtime.ts";

/** A merchant, and the bearer token for its dashboard. */
export interface DashboardOptions {
  /** The merchant's id: `merchantId` of its payments. */
  merchantId: string;
  /** The bearer token, or a function that returns it. */
  accessToken: AccessToken;
}

/**
 * The merchant's server client. Holds the merchant secret key: never ship it to a browser. Options that you
 * leave out come from `SETTLEKIT_...` environment variables, or have a default.
 *
 * @throws {ConfigurationError} when an option or environment variable is invalid; `param` names it.
 * @example
 * ```ts
 * const client = new MerchantClient();
 * const { paymentUrl } = await client.payments.create({ amount: 2500, orderId: "order_1" });
 * ```
 */
export class MerchantClient {
  /** The configured base URL, without a trailing slash. A checkout page needs it. */
  readonly baseUrl: string;
  /** Payments and deposits: money that customers send you. */
  readonly payments: Payments;
  /** Withdrawals: money that you send. Servers should use the payout ledger of `settlekit/payouts`. */
  readonly withdrawals: Withdrawals;
  /** The balances of the merchant's wallet. */
  readonly wallet: Wallet;
  /** The supported chains: a public list. */
  readonly chains: Chains;
  /** The supported tokens with their prices: a public list. */
  readonly tokens: Tokens;
  readonly #http: Http;

  constructor(options?: ClientOptions) {
    requireServer();
    requireSupportedNode();
    const http = new Http({ ...configure(options), channel: channel("settlekit:client") });
    this.baseUrl = http.settings.baseUrl;
    this.payments = new Payments(http);
    this.withdrawals = new Withdrawals(http);
    this.wallet = new Wallet(http);
    this.chains = new Chains(http);
    this.tokens = new Tokens(http);
    this.#http = http;
  }

  /** @internal For `settlekit/opentelemetry`. The returned function removes the observer. */
  observe(observer: Observer): () => void {
    return this.#http.observe(observer);
  }

  /**
   * A customer's access to one payment, with the payment secret returned when it was created (interface section 4.3).
   * In browsers, use `CheckoutClient` of `settlekit/checkout`.
   *
   * @throws {ConfigurationError} when the secret is invalid.
   */
  checkout(access: { paymentId: string; secret: string }): Checkout {
    const { paymentId, secret } = { ...access };
    return new Checkout(this.#http.withCredential(paymentSecret(secret)), paymentId);
  }

  /**
   * The operations that a dashboard's bearer token allows (interface sections 4.6 and 4.7). After a 401, a token
   * function is called once more.
   *
   * @throws {ConfigurationError} when the id or the token is invalid.
   */
  dashboard(options: DashboardOptions): Dashboard {
    const { merchantId, accessToken } = { ...options };
    return new Dashboard(this.#http.withCredential(bearerToken(accessToken)), merchantId);
  }

  /**
   * Sends a request that no other method covers, with the same retries, limits and errors. Anything but a GET is not
   * repeated if it may have arrived, unless you pass `safe: true`. If you also pass an `idempotencyKey`, every attempt
   * carries it.
   *
   * @throws {InvalidRequestError} when the path could lead to another route or origin.
   * @example
   * ```ts
   * const page = await client.request<{ data: unknown[] }>({
   *   method: "GET",
   *   path: "/v1/external/secretkey-auth/payments",
   *   query: { limit: 1 },
   * });
   * ```
   */
  request<T = unknown>(request: RawRequest, options?: RequestOptions): ApiPromise<T> {
    return rawRequest(this.#http, request, options);
  }
}
