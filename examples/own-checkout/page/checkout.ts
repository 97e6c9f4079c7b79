// The page where the customer pays. It holds only the payment's secret, which gives access to this payment and
// nothing else. It informs the customer; the shop ships when the webhook arrives.

import { defineCheckoutElement } from "settlekit/checkout/element";

defineCheckoutElement();
const main = document.querySelector("main");
const opening = fetch(`${location.pathname}/payment`, { method: "POST" });
const order = await opening.then((answer) => answer.json()).catch(() => ({}));
const { product, state, baseUrl, payment } = order;

if (payment) {
  const checkout = document.createElement("settlekit-checkout");
  // As properties, because attributes would put the secret into the document.
  Object.assign(checkout, { ...payment, baseUrl });
  main?.replaceChildren(checkout);
} else {
  main?.replaceChildren(state ? `${product}: ${state}` : "Please try again.");
}
