import type { SettlekitError } from "../../errors.ts";
import type { Environment } from "../../wire/credential.ts";
import { connect } from "./connect.ts";
import { type CheckoutEventMap, EventDispatcher } from "./events.ts";
import { languageAt, languageFor, loadMessages, localeFor, observeLanguage } from "./languages.ts";
import { english, type Messages } from "./messages.ts";
import { attributeNames, misspeltNames, propertyNames, wrongMessages } from "./names.ts";
import { Page } from "./page.ts";
import { type Connect, Session } from "./session.ts";
import { type Known, nothingKnown } from "./state.ts";
import { styleSheetFor } from "./styles.ts";
import { createTexts, type Texts } from "./texts.ts";
import { viewOf } from "./view.ts";
import type { RpcUrls } from "./wallets.ts";

/** A server that renders the page has no HTMLElement: it may import the class, but never instantiates it. */
const ElementBase = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * `<settlekit-checkout>`: a payment page as an element. It shows what to pay and where, follows the payment, and lets
 * the customer pay with a wallet in the browser.
 *
 * Set `payment-id`, `secret` and `base-url`, as attributes, or as properties with the same names in camel case. It
 * waits until it has the first two. Style it with the custom properties and parts that docs/checkout-theming.md lists.
 *
 * @example
 * ```html
 * <settlekit-checkout payment-id="…" secret="…" base-url="https://api.example.com"></settlekit-checkout>
 * ```
 */
export class SettlekitCheckoutElement extends ElementBase {
  /** @internal */
  static readonly observedAttributes = attributeNames.filter((name) => name !== "theme");
  #secret: string | undefined;
  #messages: Partial<Messages> = {};
  #rpcUrls: RpcUrls = {};
  /** Replaced for another payment, together with `#events`. */
  #session = this.#newSession();
  #events = new EventDispatcher(this, null);
  /** What the session was started with; undefined once the element has left the page. */
  #started: { readonly settings: string; readonly returnUrl: string | null } | undefined;
  #isDue = false;
  #known: Known = nothingKnown;
  /** The language and the messages of the current texts. */
  #speaking = { tag: "", messages: this.#messages };
  /** Undefined until the language is loaded. */
  #texts: Texts | undefined;
  #page: Page | undefined;
  readonly #languageChanges = new MutationObserver(() => void this.#speak());

  /** The payment's id, returned when it was created. */
  get paymentId(): string | null {
    return this.getAttribute("payment-id");
  }
  set paymentId(value: string | null | undefined) {
    this.#reflect("payment-id", value);
  }

  /**
   * The payment's secret, returned when it was created; never a merchant secret key. Unlike the attribute, the property
   * leaves no trace in the document.
   */
  get secret(): string | null {
    return this.#secret ?? this.getAttribute("secret");
  }
  set secret(value: string | null | undefined) {
    this.#secret = value ?? undefined;
    this.#restart();
  }

  /** The service's URL: https, http on this machine, or the page's own origin. */
  get baseUrl(): string | null {
    return this.getAttribute("base-url");
  }
  set baseUrl(value: string | null | undefined) {
    this.#reflect("base-url", value);
  }

  /** With `sandbox`, `baseUrl` may be omitted: it defaults to the sandbox on this machine. */
  get environment(): Environment | null {
    return this.getAttribute("environment") as Environment | null;
  }
  set environment(value: Environment | null | undefined) {
    this.#reflect("environment", value);
  }

  /** Prefix of the service's own headers. Default `X-Service`. */
  get headerPrefix(): string | null {
    return this.getAttribute("header-prefix");
  }
  set headerPrefix(value: string | null | undefined) {
    this.#reflect("header-prefix", value);
  }

  /** The texts' language, a BCP 47 tag. Default: the page's, then the browser's. */
  override get lang(): string {
    return this.getAttribute("lang") ?? "";
  }
  override set lang(value: string | null | undefined) {
    this.#reflect("lang", value);
  }

  /** `light`, `dark`, or `auto` for the customer's system preference. Default `auto`. */
  get theme(): "light" | "dark" | "auto" {
    const theme = this.getAttribute("theme");
    return theme === "light" || theme === "dark" ? theme : "auto";
  }
  set theme(value: "light" | "dark" | "auto" | null | undefined) {
    this.#reflect("theme", value);
  }

  /** The page that the customer returns to. Once the payment is paid, the redirect is automatic. Default: none. */
  get returnUrl(): string | null {
    return this.getAttribute("return-url");
  }
  set returnUrl(value: string | null | undefined) {
    this.#reflect("return-url", value);
  }

  /** Texts that replace the element's own, by name. */
  get messages(): Partial<Messages> {
    return this.#messages;
  }
  set messages(value: Partial<Messages> | null | undefined) {
    // Frameworks may pass an equal object on every render: do not render again for it.
    if (JSON.stringify(value ?? {}) === JSON.stringify(this.#messages)) return;
    this.#messages = { ...value };
    void this.#speak();
  }

  /** RPC URLs by chain id, so that a wallet can add a chain it does not know. */
  get rpcUrls(): RpcUrls {
    return this.#rpcUrls;
  }
  set rpcUrls(value: RpcUrls | null | undefined) {
    this.#rpcUrls = value ?? {};
  }

  /** Reads the payment again now, for example when your server learns that money has arrived. */
  async refresh(): Promise<void> {
    await this.#session.refresh();
  }

  /** @internal */
  connectedCallback(): void {
    for (const name of propertyNames) this.#adopt(name);
    // A server may have rendered one.
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    // A page may have added its own style sheets since. In jsdom, shadow roots have no such list.
    if (!root.adoptedStyleSheets?.length) this.adoptedCallback();
    this.#languageChanges.disconnect();
    observeLanguage(this, this.#languageChanges);
    void this.#speak();
    this.#restart();
  }

  /** @internal */
  disconnectedCallback(): void {
    // An element that is moved is disconnected for a moment.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#started = undefined;
      this.#session.stop();
      this.#languageChanges.disconnect();
    });
  }

  /** @internal */
  adoptedCallback(): void {
    // Each document has its own style sheets.
    const sheet = styleSheetFor(this.ownerDocument);
    if (this.shadowRoot && sheet) this.shadowRoot.adoptedStyleSheets = [sheet];
  }

  /** @internal */
  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === "lang") void this.#speak();
    else this.#restart();
  }

  #reflect(attribute: string, value: string | null | undefined): void {
    if (value === null || value === undefined) this.removeAttribute(attribute);
    else this.setAttribute(attribute, value);
  }

  /** A property set before the element was defined shadows the class's accessor. */
  #adopt(name: keyof this): void {
    if (!Object.hasOwn(this, name)) return;
    const value = this[name];
    delete this[name];
    this[name] = value;
  }

  /** Applies the attributes, once for all that change together, and never inside `connectedCallback`. */
  #restart(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected) this.#start();
    });
  }

  #start(): void {
    const { paymentId, secret, baseUrl, environment, headerPrefix, returnUrl, baseURI } = this;
    const attributes = { paymentId, secret, baseUrl, environment, headerPrefix };
    const connectTo: Connect = (onEvent) =>
      connect({ ...attributes, returnUrl }, { baseURI, onEvent });
    const settings = JSON.stringify(attributes);
    const before = this.#started;
    this.#started = { settings, returnUrl };
    const isSame = settings === before?.settings;
    // Frameworks may set equal properties on every render.
    if (isSame && returnUrl === before.returnUrl) return;
    if (isSame && this.#session.isRunning) {
      this.#session.setReturnUrl(connectTo);
      return;
    }
    this.#session.stop();
    if (paymentId !== this.#events.paymentId) {
      this.#session.giveUpWallet();
      this.#session = this.#newSession();
      this.#events = new EventDispatcher(this, paymentId);
    }
    this.#report(misspeltNames(this));
    if (paymentId === null || secret === null) this.#show(nothingKnown);
    else this.#session.start(connectTo);
  }

  #newSession(): Session {
    return new Session({
      rpcUrls: () => this.#rpcUrls,
      onChange: (known) => this.#show(known),
      onError: (error) => this.#events.error(error),
    });
  }

  /** Loads the language's texts, and renders the page with them. */
  async #speak(): Promise<void> {
    if (!this.isConnected) return;
    const [tag, own] = [languageAt(this), this.#messages];
    if (tag === this.#speaking.tag && own === this.#speaking.messages) return;
    const isNew = own !== this.#speaking.messages;
    const speaking = { tag, messages: own };
    this.#speaking = speaking;
    const texts = Object.entries(own).filter(([, text]) => typeof text === "string");
    const render = (messages: Messages) => {
      if (speaking !== this.#speaking) return;
      const language = messages === english ? "en" : languageFor(tag);
      const all = { ...messages, ...Object.fromEntries(texts) };
      this.#texts = createTexts(all, localeFor(tag, language), language);
      const before = this.#page;
      this.#page = new Page(this.#texts, () => this.#session);
      this.#page.update(viewOf(this.#known, this.#texts));
      if (this.shadowRoot) this.#page.replace(before, this.shadowRoot);
      this.#show(this.#known);
    };
    render(await loadMessages(languageFor(tag), render));
    if (isNew) this.#report(wrongMessages(own));
  }

  #report(errors: readonly SettlekitError[]): void {
    for (const error of errors) this.#events.error(error);
  }

  #show(known: Known): void {
    const isNew = known !== this.#known;
    this.#known = known;
    this.#events.change(known);
    if (this.#texts === undefined || this.#page === undefined) return;
    if (isNew) this.#page.update(viewOf(known, this.#texts));
    if (known.offer) this.#page.countDown(known.offer.request.remainingMs());
  }
}

/**
 * Defines `<settlekit-checkout>`. Calling it again, or on a server, does nothing. Importing
 * `settlekit/checkout/element/define` calls it.
 *
 * @example
 * ```ts
 * defineCheckoutElement();
 * document.body.append(document.createElement("settlekit-checkout"));
 * ```
 */
export function defineCheckoutElement(): void {
  // A server that renders the page has no custom element registry.
  const { customElements } = globalThis;
  if (customElements !== undefined && customElements.get("settlekit-checkout") === undefined) {
    customElements.define("settlekit-checkout", SettlekitCheckoutElement);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "settlekit-checkout": SettlekitCheckoutElement;
  }
  interface GlobalEventHandlersEventMap extends CheckoutEventMap {}
}
