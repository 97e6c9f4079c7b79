import { CheckoutClient } from "../../checkout/index.ts";

/** A checkout client for the service that this page came from. */
export function checkoutHere(paymentId: string, secret: string): CheckoutClient {
  // The client takes plain http to this machine only; what the page came by may be the name of a container.
  const baseUrl = "http://localhost";
  return new CheckoutClient({
    paymentId,
    secret,
    baseUrl,
    fetch: (url, init) => fetch(String(url).slice(baseUrl.length), init),
  });
}
