import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { elementShop } from "./element-shop.ts";
import { ShowingWallet } from "./showing-wallet.ts";
import { stopClock } from "./watched-page.ts";

export function elementAwakeCases(browser: () => Browser): void {
  describe("the checkout element on a device that sleeps or has a wrong clock", () => {
    const shop = elementShop(browser);
    const errors = () =>
      shop.events.filter(({ name }) => name === "error").map(({ detail }) => detail.code);

    const now = () => shop.page.evaluate(() => Date.now());
    const wake = () =>
      shop.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

    test("does not ask a wallet to pay a quote that expired while the device slept", async () => {
      const page = await shop.watch();
      const wallet = new ShowingWallet();
      await wallet.join(page);
      await stopClock(page);
      await shop.visit(await shop.order());
      await page.getByText("25 USDC").waitFor();
      const pay = page.getByRole("button", { name: "Anvil Wallet" });
      await pay.waitFor();
      // The page's timers stand still, as on a device that sleeps.
      await shop.sandbox.clock.advance("11m");
      // Its monotonic clock stands still, too.
      await page.clock.setSystemTime((await now()) + 660_000);
      await pay.click();
      await expect.poll(errors).toEqual(["quote_expired"]);
      expect(wallet.transfers).toEqual([]);
    });

    test.each([
      ["fast", 11 * 60_000],
      ["slow", -60 * 60_000],
    ])(
      "shows a current quote although the device's clock is %s and CORS hides the service's",
      async (_, ms) => {
        const page = await shop.watch();
        await stopClock(page, shop.sandbox.clock.now().getTime() + ms);
        await page.route(`${shop.service.url}/**`, async (route) => {
          const response = await route.fetch();
          const { "access-control-expose-headers": _, ...headers } = response.headers();
          await route.fulfill({ response, headers });
        });
        const order = await shop.order();
        const isAsking = ({ method, path }: { method: string; path: string }) =>
          method === "POST" && path.endsWith(`${order.paymentId}/quotes`);
        const asked = () => shop.sandbox.requests().filter(isAsking).length;
        await shop.visit(order);
        await page.getByText("25 USDC").waitFor();
        expect(await page.getByRole("timer").textContent()).toMatch(/^(10:00|9:5\d)$/);
        await shop.sandbox.clock.advance("11m");
        await page.clock.fastForward("10:30");
        await expect.poll(asked).toBe(2);
        expect(errors()).toEqual([]);
      },
    );

    test("reads the payment when the page is visible again", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await wake();
      await shop.outcome("$25.00 arrived. Thank you.").waitFor();
    });
  });
}
