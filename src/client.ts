import { type ClientOptions, configure } from "./configuration.ts";
import { Http } from "./http/http.ts";
import { Payments } from "./resources/payments.ts";
import { Withdrawals } from "./resources/withdrawals.ts";

/**
 * The merchant's server client. Holds the merchant secret key: never ship it to a browser.
 *
 * @throws {ConfigurationError} when an option or environment variable cannot be right; `param` names
 * the option.
 * @example
 * ```ts
 * const client = new MerchantClient({ secretKey: process.env.MY_KEY, environment: "testnet" });
 * const { paymentUrl } = await client.payments.create({ amount: 2500, orderId: "order_1" });
 * ```
 */
export class MerchantClient {
  readonly payments: Payments;
  readonly withdrawals: Withdrawals;

  constructor(options?: ClientOptions) {
    const http = new Http(configure(options));
    this.payments = new Payments(http);
    this.withdrawals = new Withdrawals(http);
  }
}
