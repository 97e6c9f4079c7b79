import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { MerchantClient } from "settlekit";
import { Webhooks } from "settlekit/webhooks";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createShop } from "../../examples/shop.ts";
import { createSandbox, type Sandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { create } from "../sandbox/merchant.ts";
import {
  accessibilityViolations,
  stopClock,
  type WatchedPage,
  watchedPage,
} from "./watched-page.ts";

/** The main case, or all of them. */
export function paymentPageCases(browser: () => Browser, isWhole: boolean): void {
  describe("the payment page", () => {
    let shop: Server;
    let shopUrl: string;
    let sandbox: Sandbox;
    let service: SandboxServer;
    let watched: WatchedPage;

    beforeAll(async () => {
      shop = createServer();
      await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
      shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
      sandbox = createSandbox({ webhookUrl: `${shopUrl}/webhooks` });
      service = await sandbox.listen({ port: 0 });
      const client = new MerchantClient({
        environment: "sandbox",
        baseUrl: service.url,
        secretKey: sandbox.secretKey,
      });
      // The shop knows only the first test's order, and reports an error for all others.
      const webhooks = new Webhooks({ secret: sandbox.webhookSecret, onError: () => {} });
      shop.on("request", createShop({ client, webhooks, log: () => {} }));
    });

    afterEach(async () => {
      await watched.page.context().close();
      expect(watched.troubles).toEqual([]);
    });

    afterAll(async () => {
      await service?.close();
      shop?.closeAllConnections();
      shop?.close();
    });

    async function opened(url: string, options = {}): Promise<Page> {
      watched = await watchedPage(browser(), options);
      await watched.page.goto(url);
      return watched.page;
    }

    /** Opens the page of a new payment. */
    async function openedPayment(fields: object, options = {}): Promise<Page> {
      const { paymentId } = await create(sandbox, { ...fields });
      return opened(`${service.url}/payment/${paymentId}`, options);
    }

    const status = (page: Page) => page.locator('[part="status"]');
    const outcome = (text: string) => watched.page.locator('[part="outcome"]', { hasText: text });

    test("lets a customer pay, and the shop's order is then paid", async () => {
      const answer = await fetch(`${shopUrl}/orders?cents=2500`, {
        method: "POST",
        redirect: "manual",
      });
      const orderId = answer.headers.get("x-order-id") ?? "";
      const page = await opened(answer.headers.get("location") ?? "");

      await page.getByText("25 USDC").waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("$25.00");
      expect(await status(page).textContent()).toContain("Waiting for your payment");
      await page.getByRole("button", { name: "Pay in full" }).click();
      await outcome("$25.00 arrived. Thank you.").waitFor();
      expect(await status(page).textContent()).toContain("Paid");
      // The strip asks the sandbox which scenarios are left, so it updates a moment later.
      await page.getByRole("button", { name: "Pay in full", disabled: true }).waitFor();

      await sandbox.webhooks.idle();
      const order = (await (await fetch(`${shopUrl}/orders/${orderId}`)).json()) as object;
      expect(order).toMatchObject({ id: orderId, state: "paid" });
    });
    if (!isWhole) return;

    test("shows and copies the exact amount of any token on any network", async () => {
      const page = await openedPayment(
        { amount: 2500 },
        { permissions: ["clipboard-read", "clipboard-write"] },
      );
      const [payment] = sandbox.payments.all().slice(-1);
      await page.getByText("25 USDC").waitFor();
      await page.getByText("ETH", { exact: true }).click();
      await page.locator("label", { hasText: "Ethereum Sepolia" }).click();
      await page.getByText("0.007993784033535523 ETH").waitFor();
      await page.getByText("To this address on Ethereum Sepolia").waitFor();

      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      await page.getByRole("button", { name: "Copy the amount" }).click();
      await expect.poll(copied).toBe("0.007993784033535523");
      await page.getByRole("button", { name: "Copy the address" }).click();
      await expect.poll(copied).toBe(payment?.depositAddress?.address);
      expect(await page.getByRole("timer").textContent()).toMatch(/^(10:00|\d:\d\d)$/);
    });

    test("can be used with the keyboard alone", async () => {
      const page = await openedPayment({ amount: 2500 });
      await page.getByText("25 USDC").waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("ArrowRight");
      await page.getByText(/^25\.\d+ USDT$/).waitFor();
      const pay = page.getByRole("button", { name: "Pay in full" });
      for (let presses = 0; presses < 12; presses++) {
        if (await pay.evaluate((it) => it === document.activeElement)) break;
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      await outcome("$25.00 arrived. Thank you.").waitFor();
    });

    test.each([
      ["Pay too little", "The payment failed", "$22.50 arrived, which is not enough.", "dark"],
      ["Pay too much", "Paid", "$27.50 arrived. Thank you.", "dark"],
      ["Let it expire", "The payment has expired", "Nothing arrived in time.", "light"],
      ["Pay late", "Paid", "$25.00 arrived. Thank you.", "light"],
    ])("shows the outcome: %s", async (button, text, advice, colorScheme) => {
      const page = await openedPayment({ amount: 2500 }, { colorScheme });
      await page.getByText("25 USDC").waitFor();
      await page.getByRole("button", { name: button }).click();
      await outcome(advice).waitFor();
      expect(await status(page).textContent()).toContain(text);
      expect(await page.getByText("Send exactly").isVisible()).toBe(false);
      expect(await accessibilityViolations(page)).toEqual([]);
    });

    test("opens a payment that is over without requesting a quote", async () => {
      const { paymentId } = await create(sandbox);
      await sandbox.payments.simulate(paymentId, "success");
      const page = await opened(`${service.url}/payment/${paymentId}`);
      await outcome("$25.00 arrived. Thank you.").waitFor();
      await page.waitForLoadState("networkidle");
      const asked = sandbox.requests().filter(({ path }) => path.includes(paymentId));
      expect(asked.filter(({ method }) => method === "POST")).toEqual([]);
    });

    test("formats large amounts so that they are readable", async () => {
      const page = await openedPayment({ amount: 100_000_000 });
      await page.getByText("1000000 USDC").waitFor();
      await page.getByRole("button", { name: "Pay too little" }).click();
      await outcome("$900,000.00 arrived").waitFor();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("$1,000,000.00");
    });

    test("shows an accessible page when there is no such payment", async () => {
      watched = await watchedPage(browser());
      const { page } = watched;
      await page.goto(`${service.url}/payment/unknown`);
      await page.getByRole("heading", { name: "Payment not found" }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      // The browser itself logs each error response.
      expect(watched.troubles.splice(0)).toEqual([expect.stringContaining("status of 404")]);
    });

    test("notices that an earlier state was restored, and that the sandbox was reset", async () => {
      const { paymentId } = await create(sandbox);
      const unpaid = sandbox.snapshot();
      await sandbox.payments.simulate(paymentId, "success", { steps: "by-hand" });
      await sandbox.payments.step(paymentId);
      watched = await watchedPage(browser());
      const { page } = watched;
      const listens = () => page.waitForResponse("**/_sandbox/events");
      const first = listens();
      await page.goto(`${service.url}/payment/${paymentId}`);
      await page.getByText("1 of 10 confirmations").waitFor();
      await first;
      const second = listens();
      sandbox.restore(unpaid);
      await page.getByText("25 USDC").waitFor();
      await second;
      sandbox.reset();
      await page.getByRole("heading", { name: "Payment not found" }).waitFor();
      expect(watched.troubles.splice(0)).toEqual([expect.stringContaining("status of 404")]);
    });

    test("shows what went wrong when the service fails, and continues with the next request", async () => {
      const page = await openedPayment({ amount: 2500 });
      await page.getByText("25 USDC").waitFor();
      sandbox.faults.next("POST /payments/{paymentId}/quotes", { status: 400, when: "before" });
      await page.getByText("USDT", { exact: true }).click();
      await expect.poll(() => status(page).textContent()).toMatch(/400/);
      await page.getByText("ETH", { exact: true }).click();
      await page.getByText("0.007993784033535523 ETH").waitFor();
      expect(await status(page).textContent()).toBe("Waiting for your payment");
      expect(watched.troubles.splice(0)).toEqual([expect.stringContaining("status of 400")]);
    });

    test("notices a payment made elsewhere, and takes the customer back to the shop", async () => {
      watched = await watchedPage(browser());
      const { page } = watched;
      await stopClock(page);
      const redirectUrl = `${shopUrl}/orders/thanks?of="<b>`;
      const { paymentId } = await create(sandbox, { redirectUrl });
      await page.goto(`${service.url}/payment/${paymentId}`);
      await page.getByText("25 USDC").waitFor();
      await sandbox.payments.simulate(paymentId, "success");
      // A shop without this order answers 404, which the browser logs.
      await page.route(`${shopUrl}/**`, (route) => route.fulfill({ body: "thanks" }));
      const isLinked = async () => {
        await page.clock.runFor(500);
        return page.getByRole("link", { name: "Return to the shop" }).isVisible();
      };
      await expect.poll(isLinked).toBe(true);
      await page.clock.runFor(3_500);
      await page.waitForURL(`${shopUrl}/**`);
      expect(page.url()).toBe(new URL(redirectUrl).href);
    });

    test("requests a new quote when the old one expires", async () => {
      watched = await watchedPage(browser());
      const { page } = watched;
      await stopClock(page);
      // A sandbox without refused webhooks: otherwise, the clock would stop at the retry of one, after ten and a half
      // minutes, and the page would request its quote then.
      const quiet = createSandbox({ deliver: async () => new Response() });
      await using server = await quiet.listen({ port: 0 });
      const { paymentId } = await create(quiet);
      await page.goto(`${server.url}/payment/${paymentId}`);
      await page.getByText("25 USDC").waitFor();
      await quiet.clock.advance("11m");
      await page.clock.fastForward("10:30");
      await page.clock.runFor(3_000);
      await expect.poll(() => page.getByRole("timer").textContent()).toMatch(/^(10:00|9:5\d)$/);
      // Closed before the server, which would break its event stream.
      await page.close();
    });

    test("lets the customer of a deposit choose the amount", async () => {
      const page = await openedPayment({ type: "deposit" });
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.getByLabel("Amount in US dollars").fill("12.5");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("12.5 USDC").waitFor();
      await page.getByRole("button", { name: "Pay in full" }).click();
      await outcome("$12.50 arrived. Thank you.").waitFor();
    });

    test.each(["light", "dark"] as const)("has no axe violations when %s", async (colorScheme) => {
      const page = await openedPayment({ amount: 2500, redirectUrl: shopUrl }, { colorScheme });
      await page.getByText("25 USDC").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
    });

    test("runs no script that came from a request", async () => {
      const hostile = `"><script>document.title="pwned"</script><img src=x onerror="document.title='pwned'">`;
      const page = await openedPayment({
        amount: 2500,
        orderId: hostile,
        customMetadata: JSON.stringify(hostile),
        redirectUrl: `https://shop.example/?of=${hostile}`,
      });
      await page.getByText("25 USDC").waitFor();
      expect(await page.getByText(hostile).isVisible()).toBe(true);
      expect(await page.title()).toBe("$25.00 to Sandbox Merchant");
      expect(await page.locator("img").count()).toBe(0);
    });

    test("fits on a phone, whatever is shown", async () => {
      const page = await openedPayment(
        { amount: 100_000_000, orderId: "long".repeat(60), redirectUrl: shopUrl },
        { viewport: { width: 320, height: 640 } },
      );
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await page.getByText("1000000 USDC").waitFor();
      await page.getByText("What is simulated here?").click();
      expect(await width()).toBe(320);
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.locator("label", { hasText: "In steps" }).click();
      await page.getByRole("button", { name: "Pay in full" }).click();
      await page.getByRole("button", { name: "Next step" }).click();
      await page.getByText("1 of 10 confirmations").waitFor();
      expect(await width()).toBe(320);
      for (let steps = 0; steps < 3; steps++) {
        await page.getByRole("button", { name: "Next step" }).click();
      }
      await outcome("$1,000,000.00 arrived. Thank you.").waitFor();
      await page.getByRole("button", { name: "Stay here" }).click();
      expect(await width()).toBe(320);
      expect(await accessibilityViolations(page)).toEqual([]);
    });
  });
}
