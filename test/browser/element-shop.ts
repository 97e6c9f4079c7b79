import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { globalElementBuild } from "../../scripts/build-plugins.ts";
import { createSandbox, type Sandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { bundleForBrowser } from "./bundle.ts";

/** A page with the element, and what happened in it. */
interface CheckoutPage {
  readonly page: Page;
  /** The element's events, in order. */
  readonly events: { readonly name: string; readonly detail: Record<string, unknown> }[];
  /** Console messages, uncaught errors and policy violations of the page. */
  readonly troubles: string[];
  /** The origins that it sent requests to. */
  readonly origins: Set<string>;
}

interface Order {
  readonly paymentId: string;
  readonly secret: string;
}

/** A shop for a group of tests, each of which opens a page that must end without troubles. */
export function elementShop(browser: () => Browser): ElementShop {
  const shop = new ElementShop(browser);
  beforeAll(() => shop.open());
  afterAll(() => shop.close());
  afterEach(() => shop.leave());
  return shop;
}

/** A shop whose page holds the element under a strict policy, and the sandbox that it talks to. */
export class ElementShop {
  readonly sandbox: Sandbox;
  readonly #server: Server;
  readonly #browser: () => Browser;
  #watched: CheckoutPage | undefined;
  service!: SandboxServer;
  url = "";
  /** What the running test changes in the shop's page: more directives for its policy, and its markup. */
  changes: { readonly policy?: string; readonly markup?: (html: string) => string } = {};

  constructor(browser: () => Browser) {
    this.#browser = browser;
    // Accepts every webhook: a retry of a refused one would stop the clock partway.
    this.sandbox = createSandbox({ deliver: async () => new Response() });
    this.#server = createServer();
  }

  async open(): Promise<void> {
    this.service = await this.sandbox.listen({ port: 0 });
    const scripts = new Map(await bundleForBrowser("src/checkout/element/define.ts"));
    const whole = await build({ ...globalElementBuild, write: false });
    scripts.set("/element.global.js", whole.outputFiles[0]?.text ?? "");
    this.#server.on("request", ({ url = "/" }, response) => {
      const { pathname, searchParams } = new URL(url, this.url);
      const script = scripts.get(pathname);
      response.setHeader("Content-Type", script ? "text/javascript" : "text/html; charset=utf-8");
      const sources = `default-src 'none'; script-src 'self'; connect-src ${this.service.url}`;
      const { policy = "", markup = (html: string) => html } = this.changes;
      response.setHeader(
        "Content-Security-Policy",
        `${sources}; require-trusted-types-for 'script'; trusted-types 'none'; ${policy}`,
      );
      response.end(script ?? markup(shopPage(pathname, searchParams)));
    });
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await this.service?.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async order(fields: object = {}): Promise<Order> {
    const response = await fetch(`${this.service.url}/v1/external/secretkey-auth/payments`, {
      method: "POST",
      headers: {
        "X-Service-Secret-Key": this.sandbox.secretKey,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ currency: "USD", orderId: "order_1", amount: 2500, ...fields }),
    });
    return (await response.json()) as Order;
  }

  /** The page of the running test. */
  get page(): Page {
    return this.#current.page;
  }

  get events(): CheckoutPage["events"] {
    return this.#current.events;
  }

  get element(): Locator {
    return this.page.locator("settlekit-checkout");
  }

  get #current(): CheckoutPage {
    if (this.#watched === undefined) throw new Error("The test has opened no page.");
    return this.#watched;
  }

  /** Reads the payment again at once, instead of waiting until the element does. */
  async refresh(): Promise<void> {
    await this.element.evaluate((it) =>
      (it as HTMLElementTagNameMap["settlekit-checkout"]).refresh(),
    );
  }

  /** The advice of a payment that is over, where the customer sees it: for a moment, it is also announced. */
  outcome(text: string): Locator {
    return this.page.locator('[part="outcome"]', { hasText: text });
  }

  /** Records what screen readers announce from now on, in order. */
  async announcements(): Promise<() => Promise<string[]>> {
    const said = await this.page.getByRole("status").evaluateHandle((region) => {
      const texts: string[] = [];
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          texts.push(...Array.from(addedNodes, ({ textContent }) => textContent?.trim() ?? ""));
      }).observe(region, { subtree: true, childList: true });
      return texts;
    });
    return () => said.jsonValue();
  }

  /** Waits until the element shows a phase of its payment. */
  async shows(phase: string): Promise<void> {
    await this.page.locator(`[data-phase="${phase}"]`).waitFor();
  }

  /** Closes the test's page, which must have printed nothing, and sent requests only to the shop and the service. */
  async leave(): Promise<void> {
    const { page, troubles, origins } = this.#current;
    this.changes = {};
    // The test may have routed a request that is still in flight.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.context().close();
    // The browser itself logs each error response and each failed request.
    expect(troubles.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    expect([this.url, this.service.url]).toEqual(expect.arrayContaining([...origins]));
  }

  /** Opens a page that records everything from the start. */
  async watch(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser().newContext({ reducedMotion: "reduce", ...options });
    const page = await context.newPage();
    const watched: CheckoutPage = { page, events: [], troubles: [], origins: new Set() };
    page.on("console", (message) => watched.troubles.push(message.text()));
    page.on("pageerror", (error) => watched.troubles.push(String(error)));
    page.on("request", (request) => watched.origins.add(new URL(request.url()).origin));
    await page.exposeFunction("tell", (name: string, detail: Record<string, unknown>) => {
      if (name === "securitypolicyviolation") watched.troubles.push(`refused: ${detail.blocked}`);
      else watched.events.push({ name, detail });
    });
    await page.addInitScript(() => {
      const { tell } = globalThis as unknown as { tell(name: string, detail: object): void };
      for (const name of ["change", "paid", "failed", "expired", "error"]) {
        addEventListener(`settlekit-${name}`, (event) => {
          tell(name, (event as CustomEvent<object>).detail);
        });
      }
      document.addEventListener("securitypolicyviolation", ({ type, blockedURI }) => {
        tell(type, { blocked: blockedURI });
      });
    });
    this.#watched = watched;
    return page;
  }

  /** Opens the page of an order. Attributes override the required ones. `/global` loads the single-file script. */
  async visit(
    { paymentId, secret }: Order,
    attributes: Readonly<Record<string, string>> = {},
    path: "/" | "/global" = "/",
  ): Promise<void> {
    const query = new URLSearchParams({
      "payment-id": paymentId,
      secret,
      "base-url": this.service.url,
      ...attributes,
    });
    if (this.#watched === undefined || this.page.isClosed()) await this.watch();
    await this.page.goto(`${this.url}${path}?${query}`);
  }
}

function shopPage(path: string, attributes: URLSearchParams): string {
  const script =
    path === "/global" ? 'src="/element.global.js" defer' : 'type="module" src="/define.js"';
  const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const written = [...attributes].map(([name, value]) => `${name}="${escaped(value)}"`).join(" ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shop</title>
<script ${script}></script>
</head>
<body><main><settlekit-checkout ${written}></settlekit-checkout></main></body>
</html>`;
}
