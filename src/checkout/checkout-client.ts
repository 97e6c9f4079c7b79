import { renderSVG } from "uqr";
import * as z from "zod/mini";
import { ConfigurationError } from "../errors.ts";
import { checkBaseUrl } from "../http/base-url.ts";
import { connectionFields, connectionSettings } from "../http/checks.ts";
import { Http } from "../http/http.ts";
import type { ConnectionOptions, HttpSettings } from "../http/settings.ts";
import { paymentSecret } from "../resources/arguments.ts";
import { Chains, Tokens } from "../resources/assets.ts";
import { defaultSandboxUrl, type Environment } from "../wire/credential.ts";
import { checkOptions, type Same, strictObject } from "../wire/fields.ts";
import type { Payment } from "../wire/payment.ts";
import type { Quote } from "../wire/quote.ts";
import { Checkout } from "./checkout.ts";
import type { PaymentRequest } from "./payment-request.ts";

/** Which payment, and where the service is. */
export interface CheckoutOptions extends ConnectionOptions {
  paymentId: string;
  /** The payment secret from the creation: `secret`. Never the merchant secret key. */
  secret: string;
  /** Where the service is: https, or http on this machine. Only the sandbox has a default. */
  baseUrl?: string | undefined;
  environment?: Environment | undefined;
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

  override paymentRequest(payment: Payment, quote: Quote): PaymentRequestWithQr {
    const request = super.paymentRequest(payment, quote);
    return {
      ...request,
      addressQrSvg: () => renderSVG(request.address),
      uriQrSvg: () => renderSVG(request.uri),
    };
  }
}

const checkoutSchema = strictObject({
  ...connectionFields,
  // Checked below, by their own rules and without being shown.
  paymentId: z.custom<string>(),
  secret: z.custom<string>(),
  environment: z.optional(
    z.enum(["production", "testnet", "sandbox"], {
      error: 'environment must be "production", "testnet" or "sandbox".',
    }),
  ),
});
true satisfies Same<CheckoutOptions, z.input<typeof checkoutSchema>>;

function checkoutSettings(given: CheckoutOptions): HttpSettings {
  const options = checkOptions<CheckoutOptions>(
    checkoutSchema,
    given,
    "The options of a checkout must be an object, such as { paymentId, secret, baseUrl }.",
  );
  const { baseUrl, environment, secret, paymentId: _, ...others } = options;
  const url = baseUrl ?? (environment === "sandbox" ? defaultSandboxUrl : undefined);
  if (url === undefined) {
    throw new ConfigurationError(
      "There is no base URL. Pass baseUrl: the URL that your server uses for the service.",
      { code: "missing_base_url", param: "baseUrl" },
    );
  }
  return {
    ...connectionSettings(others),
    baseUrl: checkBaseUrl(url),
    credential: paymentSecret(secret),
  };
}
