import { renderSVG } from "uqr";
import { Http } from "../http/http.ts";
import { Chains, Tokens } from "../resources/assets.ts";
import type { NewPayment } from "../wire/payment.ts";
import type { Quote } from "../wire/quote.ts";
import { Checkout } from "./checkout.ts";
import { type CheckoutOptions, checkoutSettings } from "./checkout-options.ts";
import type { PaymentRequest } from "./payment-request.ts";

/** A payment request with QR codes. */
export interface PaymentRequestWithQr extends PaymentRequest {
  /**
   * Draws a QR code of the deposit address as SVG. Show it next to the amount, token and chain. Every wallet reads it,
   * because it contains the address alone.
   */
  addressQrSvg(): string;
  /** Draws a QR code of `uri` as SVG: an extra for wallets that are known to read EIP-681. */
  uriQrSvg(): string;
}

/**
 * One payment in the customer's browser (interface section 4.3). Holds only the payment secret.
 *
 * @throws {ConfigurationError} when an option is invalid; `param` names it.
 * @example
 * ```ts
 * const checkout = new CheckoutClient({ paymentId, secret, baseUrl: "https://api.example.com" });
 * const payment = await checkout.payment();
 * const quote = await checkout.quotes.create({ chainId: 8453, contractAddress });
 * element.innerHTML = checkout.paymentRequest(payment, quote).addressQrSvg();
 * ```
 */
export class CheckoutClient extends Checkout {
  /** The supported chains: a public list. */
  readonly chains: Chains;
  /** The supported tokens with their prices: a public list. */
  readonly tokens: Tokens;

  constructor(options: CheckoutOptions) {
    const http = new Http(checkoutSettings(options));
    super(http, options.paymentId);
    this.chains = new Chains(http);
    this.tokens = new Tokens(http);
  }

  override paymentRequest(payment: NewPayment, quote: Quote): PaymentRequestWithQr {
    const request = super.paymentRequest(payment, quote);
    return {
      ...request,
      addressQrSvg: () => renderSVG(request.address),
      uriQrSvg: () => renderSVG(request.uri),
    };
  }
}
