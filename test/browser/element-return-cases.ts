import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { elementShop } from "./element-shop.ts";
import { ShowingWallet } from "./showing-wallet.ts";
import { stopClock } from "./watched-page.ts";

export function elementReturnCases(browser: () => Browser): void {
  describe("the checkout element's return to the shop", () => {
    const shop = elementShop(browser);
    const path = () => new URL(shop.page.url()).pathname;
    const countdown = () => shop.page.getByText(/^in \d s$/).filter({ visible: true });

    /** Opens a paid payment, after the shop's cart. */
    async function paid() {
      const page = await shop.watch();
      await page.addInitScript(() => Object.assign(globalThis, { actual: performance }));
      await stopClock(page);
      // Otherwise, a page whose clock is stopped cannot tell how it was reached.
      await page.addInitScript(() => {
        const { actual } = globalThis as unknown as { actual: Performance };
        performance.getEntriesByType = (type) => actual.getEntriesByType(type);
      });
      await page.goto(`${shop.url}/cart`);
      const order = await shop.order();
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.visit(order, { "return-url": "/thanks" });
      await shop.shows("over");
      await page.clock.runFor(500);
      await countdown().waitFor();
      return page;
    }

    test("navigates to a return URL on the same page, and ends the countdown", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.visit(order);
      await shop.shows("over");
      await shop.element.evaluate((it) => it.setAttribute("return-url", `${location.href}#thanks`));
      const announced = await shop.announcements();
      await page.clock.runFor(250);
      await page.getByText("in 3 s", { exact: true }).waitFor();
      await page.clock.runFor(2_000);
      expect(await announced()).toEqual(["Return to the shop in 3 s"]);
      await page.clock.runFor(1_500);
      await expect.poll(() => page.url()).toContain("#thanks");
      await page.getByRole("button", { name: "Stay here" }).waitFor({ state: "hidden" });
      expect(await countdown().count()).toBe(0);
    });

    test("is counted down anew when the element is put back", async () => {
      const page = await paid();
      const element = await shop.element.elementHandle();
      await element?.evaluate((it) => it.remove());
      await page.clock.runFor(10_000);
      await page.evaluate((it) => it && document.body.append(it), element);
      await page.clock.runFor(500);
      await page.getByText("in 3 s", { exact: true }).waitFor();
      expect(path()).toBe("/");
      await page.clock.runFor(3_500);
      await expect.poll(path).toBe("/thanks");
    });

    test("replaces the payment, so that Back leads to the page before it", async () => {
      const page = await paid();
      await page.clock.runFor(3_500);
      await expect.poll(path).toBe("/thanks");
      await page.goBack();
      expect(path()).toBe("/cart");
    });

    test("does not happen by itself when the customer comes Back", async () => {
      const page = await paid();
      await page.getByRole("link", { name: "Return to the shop" }).click();
      await expect.poll(path).toBe("/thanks");
      await page.goBack();
      await shop.shows("over");
      await page.clock.runFor(1_000);
      expect(await countdown().count()).toBe(0);
    });

    test("does not happen by itself when the browser restores the page as it was left", async () => {
      const page = await paid();
      await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
      await page.clock.runFor(1_000);
      expect(await countdown().count()).toBe(0);
    });

    test("waits until the customer has rejected a transfer that a wallet still shows", async () => {
      const page = await shop.watch();
      const wallet = new ShowingWallet();
      await wallet.join(page);
      await stopClock(page);
      const order = await shop.order();
      await shop.visit(order, { "return-url": "/thanks" });
      await page.getByRole("button", { name: "Pay with Anvil Wallet" }).click();
      await expect.poll(() => wallet.transfers.length).toBe(1);
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.refresh();
      await shop.shows("over");
      await page.clock.runFor(10_000);
      await page.getByText("Reject the request in Anvil Wallet").last().waitFor();
      expect([await countdown().count(), path()]).toEqual([0, "/"]);
      wallet.reject(0);
      await page.locator('[part="wallet-status"]').waitFor({ state: "hidden" });
      await page.clock.runFor(500);
      await countdown().waitFor();
    });

    test("happens once the payment is paid, even if the customer came Back before", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await shop.visit(order, { "return-url": "/thanks" });
      await page.goto(`${shop.url}/cart`);
      await page.goBack();
      await page.getByText("25 USDC").waitFor();
      await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide")));
      await page.clock.runFor(1_000);
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.refresh();
      await page.clock.runFor(500);
      await countdown().waitFor();
      await page.clock.runFor(3_500);
      await expect.poll(path).toBe("/thanks");
    });
  });
}
