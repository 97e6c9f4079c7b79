// What runs in the browser and, before, on the server: a page whose only component is the checkout.

import { createElement } from "react";
import { hydrateRoot } from "react-dom/client";
import { Checkout, type CheckoutProps } from "../../src/checkout/react.ts";

function checkout(props: CheckoutProps) {
  return createElement(Checkout, {
    ...props,
    className: "pay",
    // As in a page that no compiler has checked.
    ...{ onPayed: () => {} },
    onError: ({ message }) => {
      document.documentElement.dataset.mistake = message;
    },
    onPaid: ({ orderId }) => {
      document.title = `paid ${orderId}`;
    },
  });
}

const root = globalThis.document?.getElementById("root");
if (root) {
  const props = JSON.parse(root.dataset.props ?? "") as CheckoutProps;
  hydrateRoot(root, checkout(props), {
    onRecoverableError: (error) => Object.assign(globalThis, { hydrationError: String(error) }),
  });
}

export { checkout };
