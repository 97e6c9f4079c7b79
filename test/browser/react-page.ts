// Runs in the browser and, before that, on the server: a page whose only component is the checkout.

import { createElement, Suspense } from "react";
import { flushSync } from "react-dom";
import { createRoot, hydrateRoot } from "react-dom/client";
import { Checkout, type CheckoutProps } from "../../src/checkout/react.ts";

const elements: unknown[] = [];
const paid: unknown[] = [];
const elementRef = (element: unknown) => void elements.push(element);

function checkout(props: CheckoutProps) {
  return createElement(Checkout, {
    ...props,
    elementRef,
    className: "pay",
    // A misspelt prop, as in a page without type checks, and one that JSX allows on every component.
    ...{ onPayed: () => {}, "data-testid": "pay" },
    onError: ({ message }) => {
      document.documentElement.dataset.mistake = message;
    },
    onPaid: ({ orderId }) => {
      paid.push(orderId);
      document.title = `paid ${orderId}`;
    },
  });
}

/** The promise on which a component that is shown with the checkout suspends. */
let awaited: Promise<void> | undefined;
let release = () => {};
function Waiting() {
  if (awaited) throw awaited;
  return null;
}

const root = globalThis.document?.getElementById("root");
if (root?.hasChildNodes()) {
  const props = JSON.parse(root.dataset.props ?? "") as CheckoutProps;
  const page = hydrateRoot(root, checkout(props), {
    onRecoverableError: (error) => Object.assign(globalThis, { hydrationError: String(error) }),
  });
  const renderAgain = () => flushSync(() => page.render(checkout(props)));
  Object.assign(globalThis, { elements, renderAgain });
} else if (root) {
  const props = JSON.parse(root.dataset.props ?? "") as CheckoutProps;
  const page = createRoot(root);
  const render = (changes: Partial<CheckoutProps> = {}) => {
    const shown = checkout({ ...props, ...changes });
    const fallback = createElement("p", {}, "Wait");
    flushSync(() =>
      page.render(createElement(Suspense, { fallback }, shown, createElement(Waiting))),
    );
  };
  const hold = () => {
    awaited = new Promise((resolve) => {
      release = () => {
        awaited = undefined;
        resolve();
      };
    });
    render();
  };
  render();
  Object.assign(globalThis, { paid, render, hold, release: () => release() });
}

export { checkout };
