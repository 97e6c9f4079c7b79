/**
 * Defines `<settlekit-checkout>` when it is imported.
 *
 * @module settlekit/checkout/element/define
 */
import { defineCheckoutElement } from "./checkout-element.ts";

export { SettlekitCheckoutElement } from "./checkout-element.ts";

defineCheckoutElement();
