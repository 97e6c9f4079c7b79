import type { Browser, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { announceWallet } from "./announce-wallet.ts";
import { elementShop } from "./element-shop.ts";
import { stopClock } from "./watched-page.ts";

export function elementServiceCases(browser: () => Browser): void {
  describe("the checkout element when the service misbehaves", () => {
    const shop = elementShop(browser);
    const status = () => shop.page.getByRole("status").textContent();
    const errors = () =>
      shop.events.filter(({ name }) => name === "error").map(({ detail }) => detail.code);

    /** Removes the quotes from the payment's responses. */
    const withoutQuotes = ({ paymentId }: { readonly paymentId: string }) =>
      shop.page.route(`${shop.service.url}/**/${paymentId}`, async (route) => {
        const response = await route.fetch();
        if (route.request().method() !== "GET") return route.fulfill({ response });
        return route.fulfill({ response, json: { ...(await response.json()), quotes: [] } });
      });

    test("requests the default quote of a payment without quotes", async () => {
      await shop.watch();
      const order = await shop.order();
      await withoutQuotes(order);
      await shop.visit(order);
      await shop.page.getByText("25 USDC").waitFor();
      await shop.page.getByText("To this address on Base Sepolia").waitFor();
      expect(errors()).toEqual([]);
    });

    test("can be paid while its status alone has an unknown name", async () => {
      const page = await shop.watch();
      await page.clock.install();
      await page.route(`${shop.service.url}/**/status`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), status: "awaiting" } });
      });
      const isRead = page.waitForResponse(/\/status$/);
      await shop.visit(await shop.order());
      await page.getByText("25 USDC").waitFor();
      await isRead;
      await page.clock.runFor(15_000);
      expect(await page.getByText("25 USDC").isVisible()).toBe(true);
    });

    test.each<[string, (route: Route) => Promise<void> | undefined]>([
      ["cannot be read", (route) => route.fulfill({ status: 503 })],
      ["is being read", () => undefined],
    ])("cannot be paid again while it is paid but %s", async (_, answer) => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      const url = `${shop.service.url}/**/${order.paymentId}`;
      await page.route(url, answer);
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await page.clock.runFor(5_000);
      await page.getByText("25 USDC").waitFor({ state: "hidden" });
      await page.unroute(url);
      const isOver = async () => {
        await page.clock.runFor(1_000);
        return shop.outcome("$25.00 arrived. Thank you.").isVisible();
      };
      await expect.poll(isOver).toBe(true);
    });

    test("tells the shop why a payment without quotes cannot get one", async () => {
      await shop.watch();
      const order = await shop.order();
      await withoutQuotes(order);
      await shop.page.route(`${shop.service.url}/**/quotes`, (route) =>
        route.fulfill({ status: 422 }),
      );
      await shop.visit(order);
      await expect.poll(status).toContain("The price could not be loaded (HTTP 422).");
      await expect.poll(errors).toHaveLength(1);
    });

    test("leaves a gap between the buttons of a deposit without a price", async () => {
      const page = await shop.watch();
      await page.route(`${shop.service.url}/**/quotes`, (route) => route.fulfill({ status: 422 }));
      await shop.visit(await shop.order({ type: "deposit" }));
      await page.getByRole("button", { name: "Continue" }).click();
      const box = (name: string) => page.getByRole("button", { name }).boundingBox();
      const [retry, change] = [await box("Try again"), await box("Change the amount")];
      expect((change?.x ?? 0) - (retry?.x ?? 0) - (retry?.width ?? 0)).toBeGreaterThanOrEqual(8);
    });

    test("keeps the name of the current step in one piece on a phone", async () => {
      const page = await shop.watch({ viewport: { width: 320, height: 800 } });
      const order = await shop.order();
      await shop.sandbox.payments.simulate(order.paymentId, "success", { steps: "by-hand" });
      await shop.sandbox.payments.step(order.paymentId);
      await shop.visit(order, { lang: "fr" });
      const step = page.locator("[aria-current]", { hasText: "Confirmation" });
      const lines = await step.evaluate((it) => {
        const range = document.createRange();
        range.selectNodeContents(it);
        return range.getClientRects().length;
      });
      expect(lines).toBe(1);
    });

    test("keeps a long amount in one piece, and long names in the card", async () => {
      const page = await shop.watch({ viewport: { width: 320, height: 800 } });
      await page.addInitScript(announceWallet);
      await page.route(`${shop.service.url}/**/payments/**`, async (route) => {
        const response = await route.fetch();
        const body = (await response.text())
          .replaceAll('"symbol":"USDC"', `"symbol":"${"USDC".repeat(10)}"`)
          .replaceAll('"1000000000000"', '"25831033788126353019"');
        return route.fulfill({ response, body: body.replaceAll('"decimals":6', '"decimals":18') });
      });
      await shop.visit(await shop.order({ amount: 100_000_000 }));
      for (const [language, part, amount] of [
        ["en", "amount", "25.831033788126353019"],
        ["en", "title", "$1,000,000.00"],
        ["fr", "title", "1\u202F000\u202F000,00"],
        ["fr", "title", "$US"],
      ] as const) {
        await shop.element.evaluate((it, tag) => it.setAttribute("lang", tag), language);
        const shown = page.locator(`[part="${part}"]`, { hasText: amount });
        const lines = await shown.evaluate((it, text) => {
          const range = document.createRange();
          const start = it.textContent?.indexOf(text) ?? -1;
          range.setStart(it.firstChild as Text, start);
          range.setEnd(it.firstChild as Text, start + text.length);
          return range.getClientRects().length;
        }, amount);
        expect(lines, amount).toBe(1);
      }
      await shop.element.evaluate((it) => it.setAttribute("lang", "en"));
      const messages = { payWith: "Wallet".repeat(7) };
      await shop.element.evaluate((it, texts) => Object.assign(it, { messages: texts }), messages);
      for (const text of ["Anything else may be lost.", messages.payWith]) {
        const shown = page.getByText(text);
        expect(await shown.evaluate((it) => it.scrollWidth - it.clientWidth), text).toBe(0);
      }
    });

    test("shows that there is no connection while the service fails", async () => {
      const page = await shop.watch();
      await page.clock.install();
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      const statuses = `${shop.service.url}/**/status`;
      const notice = page.locator('[part="notice"]', { hasText: "No connection." });
      const isShown = async () => {
        await page.clock.runFor(1_000);
        return notice.isVisible();
      };
      await page.route(statuses, (route) => route.fulfill({ status: 503 }));
      await expect.poll(isShown).toBe(true);
      await page.unroute(statuses);
      await expect.poll(isShown).toBe(false);
    });

    test("shows within five seconds that the connection is back, although the browser reported nothing", async () => {
      const page = await shop.watch();
      await stopClock(page);
      await shop.visit(await shop.order());
      await page.getByText("25 USDC").waitFor();
      const notice = page.locator('[part="notice"]', { hasText: "No connection." });
      let seconds = 0;
      const wait = async () => {
        seconds += 1;
        await page.clock.runFor(1_000);
        return seconds;
      };
      const isShown = async () => (await wait()) > 0 && notice.isVisible();
      const whole = `${shop.service.url}/**`;
      await page.route(whole, (route) => route.abort());
      await expect.poll(isShown).toBe(true);
      // Afterwards, the waits between reads of the status are at their longest.
      await expect.poll(wait).toBe(60);
      await page.unroute(whole);
      seconds = 0;
      await expect.poll(isShown).toBe(false);
      expect(seconds).toBeLessThanOrEqual(5);
    });

    test.each([
      [700, 0],
      [700, 1],
      [360, 1],
    ])(
      "reserves the space of a payment and of its price while they load, at %d pixels with %d wallets",
      async (width, wallets) => {
        const page = await shop.watch({ viewport: { width, height: 800 } });
        if (wallets > 0) await page.addInitScript(announceWallet);
        const order = await shop.order();
        const [payment, price] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const hold = (path: string, { promise }: { readonly promise: Promise<void> }) =>
          page.route(`${shop.service.url}/**/${path}`, (route) =>
            promise.then(() => route.continue()),
          );
        await hold(order.paymentId, payment);
        await hold("quotes", price);
        await shop.visit(order);
        const height = async () => (await shop.element.boundingBox())?.height ?? 0;
        await shop.shows("loading");
        await expect.poll(() => page.locator("button[data-uuid]").count()).toBe(wallets);
        const loading = await height();
        payment.resolve();
        await shop.shows("pay");
        const priceLoading = await height();
        price.resolve();
        await page.getByText("25 USDC").waitFor();
        expect(Math.abs(loading - (await height()))).toBeLessThan(40);
        expect(Math.abs(priceLoading - (await height()))).toBeLessThan(10);
      },
    );

    test("shows that the service does not respond after two attempts of 10 seconds", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await page.route(`${shop.service.url}/**/${order.paymentId}`, () => {});
      await shop.visit(order);
      await shop.shows("loading");
      await page.clock.runFor(10_500);
      await page.clock.runFor(10_500);
      await shop.shows("problem");
      expect(await status()).toContain("cannot be loaded at the moment");
      expect(errors()).toHaveLength(1);
    });

    test("hides the address once money was detected, although the payment is returned as before at first", async () => {
      const page = await shop.watch();
      await page.clock.install();
      const { paymentId, secret } = await shop.order();
      let reads = 0;
      let stale: string | undefined;
      await page.route(`${shop.service.url}/**/${paymentId}`, async (route) => {
        const response = await route.fetch();
        if (route.request().method() !== "GET") return route.fulfill({ response });
        reads += 1;
        stale ??= await response.text();
        return route.fulfill({ response, ...(reads < 4 && { body: stale }) });
      });
      await shop.visit({ paymentId, secret });
      await page.getByText("25 USDC").waitFor();
      await shop.sandbox.payments.simulate(paymentId, "success", { steps: "by-hand" });
      await shop.sandbox.payments.step(paymentId);
      const isConfirming = async () => {
        await page.clock.runFor(1_000);
        return page.locator('[data-phase="confirming"]').isVisible();
      };
      await expect.poll(isConfirming).toBe(true);
      expect(await page.locator('[part="address"]').isVisible()).toBe(false);
    });

    test("shows no empty box if the QR code's script cannot be loaded", async () => {
      const page = await shop.watch();
      await page.route(`${shop.url}/qr*.js`, (route) => route.abort());
      await shop.visit(await shop.order());
      await page.getByText("25 USDC").waitFor();
      await page.locator('[part="qr"]').waitFor({ state: "hidden" });
      expect(await page.locator('[part="address"]').textContent()).toMatch(/^0x/);
    });

    test("speaks English, and says so to screen readers, if a language's script cannot be loaded", async () => {
      const page = await shop.watch();
      await page.route(`${shop.url}/ar*.js`, (route) => route.abort());
      await shop.visit(await shop.order(), { lang: "ar" });
      await page.getByText("Waiting for your payment").waitFor();
      const card = page.locator('[part="card"]');
      expect([await card.getAttribute("lang"), await card.getAttribute("dir")]).toEqual([
        "en",
        "ltr",
      ]);
    });

    test("offers no wallet if the script that asks it to pay cannot be loaded", async () => {
      const page = await shop.watch();
      await page.route(`${shop.url}/wallet-requests*.js`, (route) => route.abort());
      const failed = page.waitForEvent("requestfailed");
      await page.addInitScript(announceWallet);
      await shop.visit(await shop.order());
      expect((await failed).url()).toContain("wallet-requests");
      await page.getByText("25 USDC").waitFor();
      await page.locator('[part="wallets"]').waitFor({ state: "hidden" });
      expect(await page.locator('[part="address"]').textContent()).toMatch(/^0x/);
    });

    test("loads that script only if the browser has a wallet", async () => {
      const page = await shop.watch();
      const loaded: string[] = [];
      page.on("request", (request) => loaded.push(request.url()));
      await shop.visit(await shop.order());
      await page.locator('[part="qr"] svg').waitFor();
      expect(loaded.filter((url) => url.includes("wallet-requests"))).toEqual([]);
    });
  });
}
