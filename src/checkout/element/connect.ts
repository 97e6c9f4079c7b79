import type { ClientEvent } from "../../http/events.ts";
import { Http } from "../../http/http.ts";
import { checkRedirectUrl } from "../../resources/arguments.ts";
import { Tokens } from "../../resources/assets.ts";
import type { Environment } from "../../wire/credential.ts";
import { Checkout } from "../checkout.ts";
import { checkoutSettings } from "../checkout-options.ts";

/** The element's attributes; null for missing ones. */
interface ConnectionAttributes {
  readonly paymentId: string | null;
  readonly secret: string | null;
  readonly baseUrl: string | null;
  readonly environment: Environment | null;
  readonly headerPrefix: string | null;
  readonly returnUrl: string | null;
}

/** The client of one payment, and its return URL. */
export interface Connection {
  readonly paymentId: string;
  readonly checkout: Checkout;
  readonly tokens: Tokens;
  readonly returnUrl: string | undefined;
}

interface ConnectOptions {
  /** The base of relative URLs. */
  readonly baseURI: string;
  readonly onEvent: (event: ClientEvent) => void;
}

/**
 * Creates the client of one payment: the core of `CheckoutClient`, without the code that draws QR codes, which the
 * element loads on demand.
 *
 * @throws {SettlekitError} when an attribute is invalid; `param` names it.
 */
export function connect(attributes: ConnectionAttributes, options: ConnectOptions): Connection {
  const { secret, baseUrl, environment, headerPrefix } = attributes;
  const paymentId = attributes.paymentId ?? "";
  const returnUrl = checkedReturnUrl(attributes.returnUrl, options.baseURI);
  // Plain http to the page's own origin exposes nothing new: the page itself was loaded that way.
  const isOwnOrigin = baseUrl !== null && parsed(baseUrl)?.origin === location.origin;
  const settings = checkoutSettings(
    {
      paymentId,
      secret: secret ?? "",
      // Frameworks leave an empty attribute where they have no value.
      baseUrl: baseUrl || undefined,
      environment: environment || undefined,
      headerPrefix: headerPrefix || undefined,
      onEvent: options.onEvent,
      // Shorter than a server's, because a customer is waiting.
      timeoutMs: 10_000,
      deadlineMs: 20_000,
    },
    isOwnOrigin,
  );
  const http = new Http(settings);
  return {
    paymentId,
    checkout: new Checkout(http, paymentId),
    tokens: new Tokens(http),
    returnUrl,
  };
}

function checkedReturnUrl(given: string | null, baseURI: string): string | undefined {
  if (given === null || given === "") return undefined;
  return checkRedirectUrl("return-url", parsed(given, baseURI)?.href ?? given);
}

/** `URL.parse`, which the oldest browsers in docs/checkout.md lack. */
function parsed(url: string, base?: string): URL | undefined {
  return URL.canParse(url, base) ? new URL(url, base) : undefined;
}
