import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Payment } from "../../src/wire/payment.ts";
import type { Quote } from "../../src/wire/quote.ts";
import { elementShop } from "./element-shop.ts";
import { stopClock } from "./watched-page.ts";

export function elementPageCases(browser: () => Browser): void {
  describe("the checkout element in a page", () => {
    const shop = elementShop(browser);
    const reported = () =>
      shop.events
        .filter(({ name }) => name === "error")
        .map(({ detail: { code, message } }) => [code, message]);

    test("needs one script and nothing else", async () => {
      const order = await shop.order();
      await shop.visit(order, { lang: "ja" }, "/global");
      const { page } = shop;
      await page.getByText("お支払いをお待ちしています").waitFor();
      await page.getByText("25 USDC").waitFor();
      await page.locator('[part="qr"] svg').waitFor();
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.refresh();
      await page.getByRole("status").getByText("お支払い済み").waitFor();
      const loaded = await page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .map(({ name }) => new URL(name))
          .filter(({ origin }) => origin === location.origin)
          .map(({ pathname }) => pathname),
      );
      expect(loaded).toEqual(["/element.global.js"]);
    });

    test("runs in the oldest browsers that the guide lists", async () => {
      const page = await shop.watch();
      await page.addInitScript(() => {
        // Features that arrived after Chrome 123, Firefox 124 or Safari 17.5.
        Reflect.deleteProperty(URL, "parse");
        Reflect.deleteProperty(Promise, "try");
        Reflect.deleteProperty(RegExp, "escape");
        Reflect.deleteProperty(globalThis, "Iterator");
        for (const name of ["union", "intersection", "difference", "isSubsetOf"]) {
          Reflect.deleteProperty(Set.prototype, name);
        }
      });
      await shop.visit(await shop.order(), { "return-url": "/thanks" });
      await page.getByText("25 USDC").waitFor();
      expect(reported()).toEqual([]);
    });

    test.each([
      "main { display: flex; justify-content: center }",
      "main { display: grid; place-items: center }",
      "body { display: flex; flex-direction: column; align-items: center; white-space: nowrap }",
      "settlekit-checkout { float: left }",
    ])("has a width of its own, and fits a phone: %s", async (css) => {
      await shop.visit(await shop.order());
      const { page } = shop;
      await page.getByText("25 USDC").waitFor();
      await page.evaluate((text) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        document.adoptedStyleSheets = [sheet];
      }, css);
      expect((await shop.element.boundingBox())?.width).toBeGreaterThan(560);
      await page.setViewportSize({ width: 320, height: 800 });
      expect((await shop.element.boundingBox())?.width).toBe(304);
    });

    test.each([640, 320])(
      "offers many tokens and networks in whole words at %d pixels",
      async (width) => {
        const page = await shop.watch({ viewport: { width, height: 800 } });
        const order = await shop.order();
        await page.route(`${shop.service.url}/**/${order.paymentId}`, async (route) => {
          const response = await route.fetch();
          const payment: Payment = await response.json();
          const symbols = ["DAI", "EURC", "PYUSD", "FDUSD", "WBTC", "LINK", "AVAX"];
          const more = symbols.flatMap((symbol, index) =>
            payment.quotes.slice(0, 1).map(({ token, ...quote }) => {
              const contractAddress = `0x${String(index).repeat(40)}`;
              return { ...quote, token: { ...token, symbol, contractAddress } };
            }),
          );
          const quotes = [...payment.quotes, ...more];
          await route.fulfill({ response, json: { ...payment, quotes } });
        });
        await shop.visit(order);
        await page.getByText("25 USDC").waitFor();
        await page.getByText("AVAX").waitFor();
        const cut = await shop.element.evaluate((element) => {
          const options = element.shadowRoot?.querySelectorAll('[part="option"]') ?? [];
          const { right } = element.getBoundingClientRect();
          const isWhole = (box: DOMRect) => box.height < 50 && box.right < right;
          return [...options]
            .filter((it) => !isWhole(it.getBoundingClientRect()))
            .map((it) => it.textContent);
        });
        expect(cut).toEqual([]);
      },
    );

    test("draws only the shapes of a wallet's icon", async () => {
      const page = await shop.watch();
      const drawing = `<?xml version="1.0"?><!-- <path d="M0 0"/> -->
        <svg xmlns='http://www.w3.org/2000/svg' width="32" height='32' onload="alert(1)">
          <style>path { fill: url(https://evil.example/) }</style>
          <defs><linearGradient id="a"><stop stop-color='#fff'/></linearGradient></defs>
          <g transform="scale(2)"><path d="M1 1&#xA;h2" fill="url('#a')" style="fill:red"></path></g>
          <foreignObject><image href="https://evil.example/"/><circle r="9"/></foreignObject>
          <rect width="1" height="1" fill="url(https://evil.example/)" />
        </svg>`;
      await page.addInitScript(
        (icon) => {
          const info = { uuid: "1", name: "Drawn Wallet", icon };
          const detail = { info, provider: { request() {} } };
          addEventListener("eip6963:requestProvider", () =>
            dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail })),
          );
        },
        `data:image/svg+xml,${encodeURIComponent(drawing)}`,
      );
      await shop.visit(await shop.order());
      const drawn = page.getByRole("button", { name: "Drawn Wallet" }).locator("svg");
      const markup = await drawn.evaluate((it) => it.outerHTML);
      expect(markup.replace(/icon\d+-/g, "")).toBe(
        '<svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">' +
          '<defs><linearGradient id="a"><stop stop-color="#fff"></stop></linearGradient></defs>' +
          `<g transform="scale(2)"><path d="M1 1 h2" fill="url('#a')"></path></g>` +
          '<rect width="1" height="1"></rect></svg>',
      );
    });

    test("takes properties set before it was defined, and keeps its state when it moves", async () => {
      const page = await shop.watch();
      // Otherwise, the status may be read meanwhile.
      await stopClock(page);
      const order = await shop.order();
      await shop.visit(order, { "payment-id": "", secret: "" });
      await shop.shows("problem");
      const fetches = () =>
        shop.sandbox.requests().filter(({ path }) => path.includes(order.paymentId)).length;
      await page.evaluate(
        (properties) => {
          const made = document.createElement("settlekit-checkout");
          Object.assign(made, properties);
          document.querySelector("main")?.replaceChildren(made);
        },
        { ...order, baseUrl: shop.service.url },
      );
      await page.getByText("25 USDC").waitFor();
      expect(await shop.element.getAttribute("secret")).toBeNull();
      const before = fetches();
      await shop.element.evaluate((it) => {
        const section = document.createElement("section");
        document.querySelector("main")?.append(section);
        section.append(it);
      });
      expect(await page.getByText("25 USDC").isVisible()).toBe(true);
      expect(fetches() - before).toBeLessThanOrEqual(1);
    });

    test("waits for the secret", async () => {
      const page = await shop.watch();
      const order = await shop.order();
      await shop.visit(order, { "payment-id": "", secret: "" });
      await shop.shows("problem");
      const errors = reported();
      await page.evaluate(
        ({ paymentId, baseUrl }) => {
          const made = document.createElement("settlekit-checkout");
          Object.assign(made, { paymentId, baseUrl });
          document.querySelector("main")?.replaceChildren(made);
        },
        { ...order, baseUrl: shop.service.url },
      );
      await shop.shows("loading");
      expect(reported()).toEqual(errors);
      await shop.element.evaluate((it, secret) => Object.assign(it, { secret }), order.secret);
      await page.getByText("25 USDC").waitFor();
    });

    test("reports misspelt names, and only those", async () => {
      const attributes = { "return-ur": "/thanks", theme: "drak", title: "Pay", class: "wide" };
      await shop.visit(await shop.order(), attributes);
      await shop.page.getByText("25 USDC").waitFor();
      await shop.element.evaluate((it) => {
        Object.assign(it, { messages: { retrun: "Back", return: 1, stepPaid: "Done" } });
      });
      await shop.page.getByText("Done", { exact: true }).waitFor();
      await expect.poll(reported).toHaveLength(4);
      expect(reported()).toEqual([
        [
          "unknown_option",
          'The checkout has no attribute "return-ur", so it is ignored. Did you mean return-url?',
        ],
        [
          "invalid_option",
          'theme must be "light", "dark" or "auto", not "drak". The element uses "auto".',
        ],
        [
          "unknown_option",
          'The checkout has no message "retrun", so it is ignored. Did you mean return?',
        ],
        ["invalid_option", 'The message "return" must be a string, not 1.'],
      ]);
    });

    test("reports a mistake once, however often a framework sets the same properties", async () => {
      const { paymentId, secret } = await shop.order();
      const order = { paymentId, secret };
      await shop.visit(order, { "base-url": "http://service.example" });
      await shop.shows("problem");
      const set = (properties: object) =>
        shop.element.evaluate(async (it, values) => {
          Object.assign(it, values);
          await new Promise((resolve) => setTimeout(resolve));
          Object.assign(it, values);
        }, properties);
      await set(order);
      const codes = () => reported().map(([code]) => code);
      await expect.poll(codes).toEqual(["invalid_base_url"]);
      await set({ ...order, baseUrl: shop.service.url });
      await shop.page.getByText("25 USDC").waitFor();
      await set({ ...order, returnUrl: "javascript:alert(1)" });
      await expect.poll(codes).toEqual(["invalid_base_url", "invalid_request"]);
      await set({ ...order, returnUrl: "/thanks" });
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.refresh();
      await shop.page.getByRole("link", { name: "Return to the shop" }).waitFor();
      expect(codes()).toEqual(["invalid_base_url", "invalid_request"]);
    });

    test("reports misspelt properties, even if set before it was defined", async () => {
      const order = await shop.order();
      await shop.visit(order, { "payment-id": "", secret: "" });
      await shop.shows("problem");
      await shop.page.evaluate(() => {
        const made = document.createElement("settlekit-checkout");
        Object.assign(made, { paymentID: "payment_1", __framework: {} });
        document.querySelector("main")?.replaceChildren(made);
      });
      await expect
        .poll(() => reported().at(-1))
        .toEqual([
          "unknown_option",
          'The checkout has no property "paymentID", so it is ignored. Did you mean paymentId?',
        ]);
    });

    test("keeps the focus on the token that the keyboard chooses, even on another network", async () => {
      const page = await shop.watch();
      const order = await shop.order();
      await page.route(`${shop.service.url}/**/${order.paymentId}`, async (route) => {
        const response = await route.fetch();
        if (route.request().method() !== "GET") return route.fulfill({ response });
        const payment = (await response.json()) as Payment;
        const isOffered = ({ token, chainId }: Quote) =>
          token.symbol !== "USDT" || chainId !== 84_532;
        const quotes = payment.quotes.filter(isOffered);
        return route.fulfill({ response, json: { ...payment, quotes } });
      });
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      const token = (name: string) => page.getByRole("radio", { name, exact: true });
      const isFocused = (name: string) => token(name).evaluate((it) => it.matches(":focus"));
      await token("USDC").focus();
      await page.keyboard.press("ArrowRight");
      await page.getByText(/^[\d.]+ USDT$/).waitFor();
      expect(await isFocused("USDT")).toBe(true);
      await page.keyboard.press("ArrowLeft");
      await page.getByText("25 USDC").waitFor();
      expect(await isFocused("USDC")).toBe(true);
      await page.getByText("To this address on Ethereum Sepolia").waitFor();
    });

    test("announces changes to screen readers in the words that others see", async () => {
      const page = await shop.watch({ permissions: ["clipboard-write"] });
      // "Copied" is shown for two seconds.
      await stopClock(page);
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      const status = page.getByRole("status");
      const says = (text: string) => status.getByText(text, { exact: true }).waitFor();
      await says("Waiting for your payment");
      await page.getByRole("button", { name: "Copy the address" }).click();
      await status.getByText("Copied").waitFor({ state: "attached" });
      await page.context().setOffline(true);
      await status.getByText("No connection.").waitFor({ state: "attached" });
      await page.context().setOffline(false);
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.refresh();
      await says("Paid");
    });
  });
}
