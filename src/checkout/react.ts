"use client";

/**
 * `<settlekit-checkout>` as a React component, for React 18 and 19.
 *
 * @module settlekit/checkout/react
 */
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

/** The element's properties, and what to call when something happens. */
export interface CheckoutProps {
  /** The id of the payment, from its creation. */
  paymentId: string;
  /** The secret of the payment, from its creation; never a merchant secret key. */
  secret: string;
  /** Where the service is: https, or http on this machine. Only the sandbox has a default. */
  baseUrl?: string | undefined;
  environment?: "production" | "testnet" | "sandbox" | undefined;
  /** Prefix of the service's own headers. Default `X-Service`. */
  headerPrefix?: string | undefined;
  /** A BCP 47 tag such as `de-AT`. Default: the page's language. */
  lang?: string | undefined;
  /** Default `auto`: what the customer's system prefers. */
  theme?: "light" | "dark" | "auto" | undefined;
  /** Where the customer goes after the payment. Default: nowhere; `onPaid` is called. */
  returnUrl?: string | undefined;
  /** Texts that replace the element's own, by name. */
  messages?: Partial<Messages> | undefined;
  /** URLs of nodes by chain id, with which a wallet adds a chain that it does not know. */
  rpcUrls?: RpcUrls | undefined;
  className?: string | undefined;
  style?: CSSProperties | undefined;
  /** The element itself, such as to `refresh()` it. */
  elementRef?: Ref<SettlekitCheckoutElement> | undefined;
  /** The status was read for the first time, or is another one. */
  onChange?: ((facts: CheckoutFacts) => void) | undefined;
  /** The payment is paid. Once. Your webhook, not this call, ships the order. */
  onPaid?: ((facts: CheckoutFacts) => void) | undefined;
  /** The payment failed. Once. */
  onFailed?: ((facts: CheckoutFacts) => void) | undefined;
  /** The payment expired. Once; money that arrives later may still pay it. */
  onExpired?: ((facts: CheckoutFacts) => void) | undefined;
  /** Something went wrong, the configuration included. */
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

/** Effects that a server does not run, and that React 18 therefore warns of there. */
const useCommitEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/**
 * Calls what the component was given when the element tells of something. Effects would miss what happens while React
 * hides the component, so this lasts as long as the element. Listening to an element again changes nothing.
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
 * The payment page as a component. A server renders an empty element, which the browser fills.
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
    // Where the element is defined already, the properties start it; where it is not, they wait for it.
    Object.assign(current, { ...settings, theme, messages, rpcUrls });
    defineCheckoutElement();
  }, [paymentId, secret, baseUrl, environment, headerPrefix, returnUrl, theme, messages, rpcUrls]);

  // Compilers refuse these, but not every page is compiled.
  const names = Object.keys(props).join();
  useCommitEffect(() => {
    if (element.current === null) return;
    const events = new EventDispatcher(element.current, paymentId);
    for (const mistake of misspelt("prop", names.split(","), propNames)) {
      events.error(mistake);
    }
  }, [names]);

  // React calls another function with null and the element again.
  const setElement = useCallback(
    (found: SettlekitCheckoutElement | null) => {
      element.current = found;
      if (found) listen(found);
      // In React 19, a function may give its own end.
      if (typeof elementRef === "function") return elementRef(found);
      if (elementRef) elementRef.current = found;
      return undefined;
    },
    [elementRef, listen],
  );
  // `class`, because React 18 gives custom elements the attributes as they are named.
  return createElement("settlekit-checkout", {
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
