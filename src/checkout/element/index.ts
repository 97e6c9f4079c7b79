/**
 * The payment page as a custom element, `<settlekit-checkout>`.
 *
 * @module settlekit/checkout/element
 */
export { defineCheckoutElement, SettlekitCheckoutElement } from "./checkout-element.ts";
export type { CheckoutEventMap, CheckoutFacts, CheckoutProblem } from "./events.ts";
export type { MessageName, Messages } from "./messages.ts";
export type { RpcUrls } from "./wallets.ts";
