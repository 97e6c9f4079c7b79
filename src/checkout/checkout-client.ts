import { renderSVG } from "uqr";
import { ConfigurationError } from "../errors.ts";
import type { ClientEvent, Logger } from "../http/events.ts";
import { Http } from "../http/http.ts";
import {
  checkBaseUrl,
  checkedFetch,
  checkLimit,
  checkRetries,
  checkWire,
  defaults,
  type Fetch,
  type HttpSettings,
  type WireOptions,
} from "../http/settings.ts";

import { paymentSecret } from "../resources/arguments.ts";
import { defaultSandboxUrl, type Environment } from "../wire/credential.ts";
import type { Payment } from "../wire/payment.ts";
import type { Quote } from "../wire/quote.ts";
import { Checkout } from "./checkout.ts";
import type { PaymentRequest } from "./payment-request.ts";

/** Which payment, and where the service is. */
export interface CheckoutOptions {
  paymentId: string;
  /** The payment secret from the creation: `secret`. Never the merchant secret key. */
  secret: string;
  /** Where the service is: https, or http on this machine. Only the sandbox has a default. */
  baseUrl?: string | undefined;
  environment?: Environment | undefined;
  /** Default: the global `fetch` at the time of each request. */
  fetch?: Fetch | undefined;
  /** Limit of one attempt, its answer's body included, in milliseconds. Default 30,000. */
  timeoutMs?: number | undefined;
  /** Limit of a whole call: attempts, bodies and waits, in milliseconds. Default 90,000. */
  deadlineMs?: number | undefined;
  /** How often a failed request is repeated. Default 3; 0 sends exactly one request. */
  maxRetries?: number | undefined;
  /** Anything with console's methods. Nothing is logged by default. */
  logger?: Logger | undefined;
  /** Told about every call, attempt, wait and drift. */
  onEvent?: ((event: ClientEvent) => void) | undefined;
  /** What to change when the service speaks otherwise than settlekit believes. */
  wire?: WireOptions | undefined;
}

/** A payment request that can draw itself. */
export interface PaymentRequestWithQr extends PaymentRequest {
  /**
   * An SVG of the bare deposit address: the QR code to show. Every wallet reads it; show amount, token
   * and chain beside it.
   */
  addressQrSvg(): string;
  /** An SVG of `uri`, as an extra for wallets that are known to read EIP-681. */
  uriQrSvg(): string;
}

/**
 * One payment in the customer's browser (interface section 4.3). Holds the payment secret alone.
 *
 * @throws {ConfigurationError} when an option cannot be right; `param` names it.
 * @example
 * ```ts
 * const checkout = new CheckoutClient({ paymentId, secret, baseUrl: "https://api.example.com" });
 * const payment = await checkout.payment();
 * const quote = await checkout.quotes.create({ chainId: 8453, contractAddress });
 * element.innerHTML = checkout.paymentRequest(payment, quote).addressQrSvg();
 * ```
 */
export class CheckoutClient extends Checkout {
  constructor(options: CheckoutOptions) {
    super(new Http(checkoutSettings(options)), options.paymentId);
  }

  override paymentRequest(payment: Payment, quote: Quote): PaymentRequestWithQr {
    const request = super.paymentRequest(payment, quote);
    return {
      ...request,
      addressQrSvg: () => renderSVG(request.address),
      uriQrSvg: () => renderSVG(request.uri),
    };
  }
}

function checkoutSettings({ baseUrl, environment, ...options }: CheckoutOptions): HttpSettings {
  const url = baseUrl ?? (environment === "sandbox" ? defaultSandboxUrl : undefined);
  if (url === undefined) {
    throw new ConfigurationError(
      "There is no base URL. Pass baseUrl: the URL that your server uses for the service.",
      { code: "missing_base_url", param: "baseUrl" },
    );
  }
  return {
    ...defaults,
    baseUrl: checkBaseUrl(url),
    credential: paymentSecret(options.secret),
    timeoutMs: checkLimit("timeoutMs", options.timeoutMs ?? defaults.timeoutMs),
    deadlineMs: checkLimit("deadlineMs", options.deadlineMs ?? defaults.deadlineMs),
    maxRetries: checkRetries(options.maxRetries ?? defaults.maxRetries),
    fetch: checkedFetch(options.fetch),
    logger: options.logger,
    onEvent: options.onEvent,
    wire: checkWire(options.wire),
  };
}
