// What runs in the browser and, before, on the server: a page whose only component is the checkout.

import { createElement } from "react";
import { flushSync } from "react-dom";
import { hydrateRoot } from "react-dom/client";
import { Checkout, type CheckoutProps } from "../../src/checkout/react.ts";

const elements: unknown[] = [];
const elementRef = (element: unknown) => void elements.push(element);

function checkout(props: CheckoutProps) {
  return createElement(Checkout, {
    ...props,
    elementRef,
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
  const page = hydrateRoot(root, checkout(props), {
    onRecoverableError: (error) => Object.assign(globalThis, { hydrationError: String(error) }),
  });
  const renderAgain = () => flushSync(() => page.render(checkout(props)));
  Object.assign(globalThis, { elements, renderAgain });
}

export { checkout };
