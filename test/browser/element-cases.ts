import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { elementShop } from "./element-shop.ts";
import { stopClock } from "./watched-page.ts";

export function elementCases(browser: () => Browser): void {
  describe("the checkout element", () => {
    const shop = elementShop(browser);
    const named = (name: string) => shop.events.filter((event) => event.name === name);
    const status = () => shop.page.getByRole("status").textContent();

    test("reports each outcome of a payment once, with its details and without its secret", async () => {
      await shop.watch();
      const order = await shop.order();
      await shop.visit(order);
      await shop.shows("pay");
      expect(shop.events.map(({ name }) => name)).toEqual(["change"]);
      await shop.sandbox.payments.simulate(order.paymentId, "timeout");
      await shop.refresh();
      await shop.shows("over");
      await shop.sandbox.payments.simulate(order.paymentId, "late");
      await shop.refresh();
      await shop.refresh();
      await shop.outcome("$25.00 arrived. Thank you.").waitFor();
      expect(shop.events.map(({ name }) => name)).toEqual([
        "change",
        "change",
        "expired",
        "change",
        "paid",
      ]);
      expect(named("paid")[0]?.detail).toEqual({
        paymentId: order.paymentId,
        status: "completed",
        orderId: "order_1",
        amountInCents: 2500,
        amountDueCents: 2500,
        receivedUsd: "25.00",
        transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      });
      expect(JSON.stringify(shop.events)).not.toContain(order.secret);
    });

    test("shows what a refresh has read while a later read is still under way", async () => {
      const order = await shop.order();
      await shop.visit(order);
      await shop.shows("pay");
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      let reads = 0;
      const held = Promise.withResolvers<void>();
      await shop.page.route(`${shop.service.url}/**/${order.paymentId}`, async (route) => {
        if (++reads > 1) await held.promise;
        await route.continue();
      });
      await shop.element.evaluate(async (it) => {
        const element = it as HTMLElementTagNameMap["settlekit-checkout"];
        const refreshed = element.refresh();
        void element.refresh();
        await refreshed;
      });
      expect(named("paid")).toHaveLength(1);
      held.resolve();
    });

    /** Opens a payment that is then paid. Returns how to let the next read get an old copy of it, which is pending. */
    async function paidBehind() {
      const page = await shop.watch();
      await page.clock.install();
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      const json = shop.sandbox.payments.all().find(({ id }) => id === order.paymentId);
      expect(json?.status).toBe("pending");
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      return () =>
        page.route(
          `${shop.service.url}/**/${order.paymentId}`,
          (route) => route.fulfill({ json, headers: { "access-control-allow-origin": "*" } }),
          { times: 1 },
        );
    }

    test("stays paid when a copy of the payment that lags behind is read", async () => {
      const lag = await paidBehind();
      await shop.refresh();
      await shop.shows("over");
      await lag();
      await shop.refresh();
      expect(shop.events.map(({ name }) => name)).toEqual(["change", "change", "paid"]);
    });

    test("stays paid when its status lags behind, too", async () => {
      const lag = await paidBehind();
      await shop.refresh();
      await shop.shows("over");
      await shop.page.route(`${shop.service.url}/**/status`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), status: "pending" } });
      });
      await lag();
      const isRead = shop.page.waitForResponse(/\/payments\/[^/]+$/);
      await shop.page.clock.runFor(15_000);
      await isRead;
      await shop.refresh();
      expect(shop.events.map(({ name }) => name)).toEqual(["change", "change", "paid"]);
    });

    test("is shown as paid although a copy that lags behind was read when its status changed", async () => {
      const lag = await paidBehind();
      await lag();
      await shop.page.clock.runFor(15_000);
      await shop.outcome("$25.00 arrived. Thank you.").waitFor();
    });

    test("announces the advice of an outcome after its status, once", async () => {
      const order = await shop.order();
      await shop.visit(order);
      await shop.page.getByText("25 USDC").waitFor();
      const announced = await shop.announcements();
      await shop.sandbox.payments.simulate(order.paymentId, "underpayment");
      await shop.refresh();
      await shop.refresh();
      expect(await announced()).toEqual([
        "The payment failed",
        "$22.50 arrived, which is not enough. Do not send the rest: the shop has been notified and can help.",
      ]);
    });

    test.each<[string, string, Record<string, string>, RegExp]>([
      [
        "a merchant's key as the secret",
        "secret_key_as_payment_secret",
        { secret: "sk_test_1234567890" },
        /cannot be shown/,
      ],
      [
        "a service over plain http",
        "invalid_base_url",
        { "base-url": "http://service.example" },
        /cannot be shown/,
      ],
      ["no secret", "missing_credential", { secret: "" }, /cannot be shown/],
      ["no id", "invalid_option", { "payment-id": "" }, /cannot be shown/],
      [
        "a script as the return URL",
        "invalid_request",
        { "return-url": "javascript:alert(1)" },
        /cannot be shown/,
      ],
      ["an unknown environment", "invalid_option", { environment: "moon" }, /cannot be shown/],
      ["an unknown id", "not_found", { "payment-id": "unknown" }, /does not exist/],
    ])("given %s, tells the customer and the developer", async (_, code, attributes, words) => {
      await shop.watch();
      await shop.visit(await shop.order(), attributes);
      await shop.shows("problem");
      expect(await status()).toMatch(words);
      await expect.poll(() => named("error").map(({ detail }) => detail.code)).toEqual([code]);
      expect(JSON.stringify(shop.events)).not.toMatch(/sk_test|ps_/);
      expect(await shop.page.getByRole("link").count()).toBe(0);
    });

    test("given the secret of another payment, shows neither payment", async () => {
      await shop.watch();
      const [own, other] = [await shop.order(), await shop.order({ amount: 9900 })];
      await shop.visit({ ...own, secret: other.secret });
      await shop.shows("problem");
      expect(await status()).toMatch(/cannot be opened with this link \(HTTP 40\d\)/);
      expect(await shop.page.locator('[part="card"]').textContent()).not.toMatch(/\$(25|99)/);
    });

    /** Changes the quotes and payments in the service's responses. */
    const answering = (change: (quote: Record<string, unknown>) => object) =>
      shop.page.route(`${shop.service.url}/**`, async (route) => {
        if (route.request().method() === "OPTIONS") return route.continue();
        const response = await route.fetch();
        const body = (await response.json()) as Record<string, unknown>;
        const quotes = (body.quotes ?? []) as Record<string, unknown>[];
        const isQuote = "expectedAmountAsset" in body;
        const changed = isQuote ? change(body) : { ...body, quotes: quotes.map(change) };
        return route.fulfill({ response, json: changed });
      });

    test("shows the amount of the selected quote, with its fees", async () => {
      await shop.watch();
      await answering((quote) => ({
        ...quote,
        amountDueCents: 2575,
        expectedAmountAsset: "25750000",
      }));
      await shop.visit(await shop.order());
      await shop.page.getByText("25.75 USDC").waitFor();
      expect(await shop.page.getByRole("heading", { level: 1 }).textContent()).toBe("$25.75");
      await shop.page.getByText("Includes $0.75 in fees").waitFor();
    });

    test.each([
      ["decimals that no token has", { decimals: 300 }],
      ["decimals that are not a number", { decimals: "6" }],
      ["a native asset with a contract", { assetType: "native" }],
    ])("refuses to show an amount for %s", async (_, token) => {
      await shop.watch();
      await answering((quote) => ({ ...quote, token: { ...(quote.token as object), ...token } }));
      await shop.visit(await shop.order());
      await expect.poll(status).toMatch(/cannot pay with this token/);
      await expect.poll(() => named("error").length).toBeGreaterThan(0);
      expect(await shop.page.locator('[part~="amount"]').first().textContent()).toBe("");
    });

    test("shows hostile names as text, and shortens them", async () => {
      await shop.watch();
      const symbol = `<img src=x onerror=alert(1)>\u202E${"x".repeat(300)}`;
      const chain = { name: "<script>alert(1)</script>" };
      await answering((quote) => ({
        ...quote,
        token: {
          ...(quote.token as object),
          symbol,
          chain: { ...(quote.token as { chain: object }).chain, ...chain },
        },
      }));
      await shop.visit(await shop.order());
      await shop.page.getByRole("timer").waitFor();
      const amount = (await shop.page.locator('[part~="amount"]').first().textContent()) ?? "";
      expect(amount).toMatch(/^[\d.]+ <img src=x onerror=alert\(1\)>x+…$/);
      expect(amount.length).toBeLessThan(70);
      expect(await shop.page.locator("img").count()).toBe(0);
    });

    test("requests a new quote when the old one expires, with its full ten minutes", async () => {
      const page = await shop.watch();
      await stopClock(page);
      await shop.visit(await shop.order());
      await page.getByText("25 USDC").waitFor();
      await shop.sandbox.clock.advance("11m");
      await page.clock.fastForward("10:30");
      await page.clock.runFor(1_000);
      await expect.poll(() => page.getByRole("timer").textContent()).toMatch(/^(10:00|9:5\d)$/);
    });

    test("copies nothing while the price is loading", async () => {
      const page = await shop.watch({ permissions: ["clipboard-read", "clipboard-write"] });
      await page.route(`${shop.service.url}/**/quotes`, () => {});
      await shop.visit(await shop.order());
      await shop.shows("pay");
      await page.evaluate(() => navigator.clipboard.writeText("kept"));
      const copy = page.getByRole("button", { name: "Copy the address" });
      expect(await copy.isDisabled()).toBe(true);
      await copy.click({ force: true });
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("kept");
    });

    test("shows that there is no connection, and continues when it is back", async () => {
      const page = await shop.watch();
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      await page.context().setOffline(true);
      await page.getByText("No connection.").first().waitFor();
      expect(await page.getByText("25 USDC").isVisible()).toBe(true);
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await page.context().setOffline(false);
      await shop.outcome("$25.00 arrived. Thank you.").waitFor();
      expect(await page.locator('[part="notice"]').isVisible()).toBe(false);
    });

    test("uses the page's language for texts and numbers, and a shop's own messages", async () => {
      const page = await shop.watch();
      await shop.visit(await shop.order(), { lang: "de-DE" });
      await page.getByText("Wir warten auf Ihre Zahlung").waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("25,00 $");
      await shop.element.evaluate((it) => {
        Object.assign(it, { lang: "ja", messages: { sendExactly: "ちょうど" } });
      });
      await page.getByText("お支払いをお待ちしています").waitFor();
      await page.getByText("ちょうど").waitFor();
      await page.getByText("25 USDC").waitFor();
    });

    test("takes a deposit with the keyboard alone, and refuses an invalid amount", async () => {
      const page = await shop.watch();
      await shop.visit(await shop.order({ type: "deposit" }));
      const input = page.getByLabel("Amount in US dollars");
      await input.fill("12.345");
      await page.keyboard.press("Enter");
      const words = "Enter an amount such as $25.50, up to $1,000,000.00.";
      await page.locator("#deposit-error", { hasText: words }).waitFor();
      expect(await input.getAttribute("aria-invalid")).toBe("true");
      await input.fill("12,5");
      await page.keyboard.press("Enter");
      await page.getByText("12.5 USDC").waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("$12.50");
      await page.getByRole("button", { name: "Change the amount" }).press("Enter");
      await input.waitFor();
    });
  });
}
