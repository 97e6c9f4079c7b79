// The page where the customer pays. It holds only the payment's secret, which gives access to this payment and
// nothing else. It informs the customer; the shop ships when the webhook arrives.

import { defineCheckoutElement } from "settlekit/checkout/element";

defineCheckoutElement();
const main = document.querySelector("main");
const answer = await fetch(`${location.pathname}/payment`, { method: "POST" });
const { product, state, baseUrl, payment } = await answer.json();

if (payment) {
  const checkout = document.createElement("settlekit-checkout");
  // As properties, because attributes would put the secret into the document.
  Object.assign(checkout, { ...payment, baseUrl });
  main?.replaceChildren(checkout);
} else {
  main?.replaceChildren(answer.ok ? `${product}: ${state}` : "Please try again.");
}
