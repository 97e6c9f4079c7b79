/**
 * `<settlekit-checkout>` as a React component, for React 18 and 19.
 *
 * @module settlekit/checkout/react
 */
"use client";

import {
  type CSSProperties,
  createElement,
  type FunctionComponent,
  type HTMLAttributes,
  type Ref,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import {
  defineCheckoutElement,
  type SettlekitCheckoutElement,
} from "./element/checkout-element.ts";
import {
  type CheckoutEventMap,
  type CheckoutFacts,
  type CheckoutProblem,
  EventDispatcher,
} from "./element/events.ts";
import type { Messages } from "./element/messages.ts";
import { misspelt, propertyNames } from "./element/names.ts";
import type { RpcUrls } from "./element/wallets.ts";

export type { SettlekitCheckoutElement } from "./element/checkout-element.ts";
export type { CheckoutFacts, CheckoutProblem } from "./element/events.ts";
export type { MessageName, Messages } from "./element/messages.ts";
export type { RpcUrls } from "./element/wallets.ts";

/** The element's properties, and its event handlers. */
export interface CheckoutProps {
  /** The payment's id, returned when it was created. */
  paymentId: string;
  /** The payment's secret, returned when it was created; never a merchant secret key. */
  secret: string;
  /** The service's URL: https, http on this machine, or the page's own origin. Only the sandbox has a default. */
  baseUrl?: string | undefined;
  /** With `sandbox`, `baseUrl` may be omitted: it defaults to the sandbox on this machine. */
  environment?: "production" | "testnet" | "sandbox" | undefined;
  /** Prefix of the service's own headers. Default `X-Service`. */
  headerPrefix?: string | undefined;
  /** The texts' language, a BCP 47 tag such as `de-AT`. Default: the page's, then the browser's. */
  lang?: string | undefined;
  /** Default `auto`: the customer's system preference. */
  theme?: "light" | "dark" | "auto" | undefined;
  /** The page that the customer returns to after the payment. Default: none; use `onPaid`. */
  returnUrl?: string | undefined;
  /** Texts that replace the element's own, by name. */
  messages?: Partial<Messages> | undefined;
  /** RPC URLs by chain id, so that a wallet can add a chain it does not know. */
  rpcUrls?: RpcUrls | undefined;
  className?: string | undefined;
  style?: CSSProperties | undefined;
  /** The element itself, for example to call `refresh()`. */
  elementRef?: Ref<SettlekitCheckoutElement> | undefined;
  /** The status was read for the first time, or has changed. */
  onChange?: ((facts: CheckoutFacts) => void) | undefined;
  /** The payment is paid. Called once. Ship the order on your webhook, not here. */
  onPaid?: ((facts: CheckoutFacts) => void) | undefined;
  /** The payment failed. Called once. */
  onFailed?: ((facts: CheckoutFacts) => void) | undefined;
  /** The payment expired. Called once; money that arrives later may still pay it. */
  onExpired?: ((facts: CheckoutFacts) => void) | undefined;
  /** Something went wrong, possibly in the configuration. */
  onError?: ((problem: CheckoutProblem) => void) | undefined;
}

const propNames = [
  ...propertyNames,
  "className",
  "style",
  "elementRef",
  "onChange",
  "onPaid",
  "onFailed",
  "onExpired",
  "onError",
] as const satisfies readonly (keyof CheckoutProps)[];
true satisfies keyof CheckoutProps extends (typeof propNames)[number] ? true : never;

/** Servers do not run effects, so React 18 warns about layout effects there. */
const useCommitEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/**
 * Calls the component's handlers for the element's events. Effects would miss events while React hides the component,
 * so these listeners last as long as the element. Adding them again changes nothing.
 */
function listening(props: () => CheckoutProps): (element: SettlekitCheckoutElement) => void {
  const listeners: { [Name in keyof CheckoutEventMap]: (event: CheckoutEventMap[Name]) => void } = {
    "settlekit-change": ({ detail }) => props().onChange?.(detail),
    "settlekit-paid": ({ detail }) => props().onPaid?.(detail),
    "settlekit-failed": ({ detail }) => props().onFailed?.(detail),
    "settlekit-expired": ({ detail }) => props().onExpired?.(detail),
    "settlekit-error": ({ detail }) => props().onError?.(detail),
  };
  return (element) => {
    for (const [name, listener] of Object.entries(listeners)) {
      element.addEventListener(name, listener as (event: Event) => void);
    }
  };
}

/**
 * The payment page as a component. A server renders an empty element, and the browser fills it. Attributes such as
 * `data-testid` are passed to the element.
 *
 * @example
 * ```tsx
 * <Checkout paymentId={paymentId} secret={secret} baseUrl="https://api.example.com" onPaid={showThanks} />
 * ```
 */
export const Checkout: FunctionComponent<CheckoutProps> = (props) => {
  const { paymentId, secret, baseUrl, environment, headerPrefix, returnUrl } = props;
  const { lang, theme, messages, rpcUrls, className, style, elementRef } = props;
  const element = useRef<SettlekitCheckoutElement>(null);
  const latest = useRef(props);
  const [listen] = useState(() => listening(() => latest.current));

  useCommitEffect(() => {
    latest.current = props;
  });

  useCommitEffect(() => {
    const { current } = element;
    if (current === null) return;
    const settings = { paymentId, secret, baseUrl, environment, headerPrefix, returnUrl };
    // If the element is already defined, the properties start it; otherwise they wait until it is.
    Object.assign(current, { ...settings, theme, messages, rpcUrls });
    defineCheckoutElement();
  }, [paymentId, secret, baseUrl, environment, headerPrefix, returnUrl, theme, messages, rpcUrls]);

  // The compiler refuses these, but not every page is type-checked.
  const names = Object.keys(props).join();
  useCommitEffect(() => {
    if (element.current === null) return;
    const events = new EventDispatcher(element.current, paymentId);
    for (const mistake of misspelt("prop", names.split(","), propNames)) {
      events.error(mistake);
    }
  }, [names]);

  // When the callback changes, React calls it again with null and then the element.
  const setElement = useCallback(
    (found: SettlekitCheckoutElement | null) => {
      element.current = found;
      if (found) listen(found);
      // In React 19, a ref callback may return a cleanup function.
      if (typeof elementRef === "function") return elementRef(found);
      if (elementRef) elementRef.current = found;
      return undefined;
    },
    [elementRef, listen],
  );
  const data = Object.entries(props).filter(([name]) => name.startsWith("data-"));
  // `class`, because React 18 passes attributes of custom elements unchanged.
  return createElement("settlekit-checkout", {
    ...Object.fromEntries(data),
    ref: setElement,
    class: className,
    ...(lang !== undefined && { lang }),
    ...(style !== undefined && { style }),
  });
};

/** The attributes of `<settlekit-checkout>` in JSX. */
export interface CheckoutAttributes extends HTMLAttributes<SettlekitCheckoutElement> {
  "payment-id"?: string | undefined;
  secret?: string | undefined;
  "base-url"?: string | undefined;
  environment?: string | undefined;
  "header-prefix"?: string | undefined;
  theme?: "light" | "dark" | "auto" | undefined;
  "return-url"?: string | undefined;
  /** React 18 gives custom elements no `className`. */
  class?: string | undefined;
  ref?: Ref<SettlekitCheckoutElement> | undefined;
  key?: string | number | undefined;
}

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "settlekit-checkout": CheckoutAttributes;
    }
  }
}
