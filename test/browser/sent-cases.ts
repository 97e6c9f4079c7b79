import type { Browser } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { elementShop } from "./element-shop.ts";
import { ShowingWallet } from "./showing-wallet.ts";

type Element = HTMLElementTagNameMap["settlekit-checkout"];

export function sentCases(browser: () => Browser): void {
  describe("a transfer that a wallet shows or has sent", () => {
    const shop = elementShop(browser);
    let wallet: ShowingWallet;

    beforeEach(() => {
      wallet = new ShowingWallet();
    });

    const payButton = () => shop.page.getByRole("button", { name: "Pay with Anvil Wallet" });
    const click = (name: string) => shop.page.getByRole("button", { name, exact: true }).click();
    const says = (text: string) =>
      shop.page.locator('[part="wallet-status"] p', { hasText: text }).waitFor();
    const hashes = () => shop.page.locator('[part="transaction"]').textContent();
    const told = (paymentId: string) =>
      shop.sandbox
        .requests()
        .filter((it) => it.method === "POST" && it.path.includes(`${paymentId}/refresh-status`))
        .map(({ body }) => JSON.parse(body ?? "").transactionHash);

    async function opened(fields: object) {
      await wallet.join(await shop.watch());
      const order = await shop.order(fields);
      await shop.visit(order);
      if ("type" in fields) await click("Continue");
      await payButton().waitFor();
      return order;
    }

    async function showing(fields = {}) {
      const order = await opened(fields);
      await payButton().click();
      await says("Check the amount and the address");
      return order;
    }

    async function sent() {
      const order = await showing();
      const hash = wallet.confirm(0);
      await shop.shows("sent");
      return { ...order, hash };
    }

    test.each<[string, (element: Element) => unknown]>([
      ["the return URL changes", (it) => it.setAttribute("return-url", "/thanks")],
      [
        "the service's options are set again",
        (it) => it.setAttribute("header-prefix", "X-Service"),
      ],
      ["the language changes", (it) => it.setAttribute("lang", "en-GB")],
      [
        "the element leaves the page for a moment",
        (it) => {
          const { parentNode } = it;
          it.remove();
          setTimeout(() => parentNode?.append(it));
        },
      ],
    ])("is remembered when %s", async (_, change) => {
      const { paymentId } = await showing();
      await shop.element.evaluate(change);
      await says("Check the amount and the address");
      const hash = wallet.confirm(0);
      await shop.shows("sent");
      await expect.poll(hashes).toBe(hash);
      await expect.poll(() => told(paymentId)).toContain(hash);
      expect(await payButton().count()).toBe(0);
      expect(wallet.transfers.length).toBe(1);
    });

    test("is announced in every step, and once each if the wallet does not say whether it sent it", async () => {
      await opened({});
      const announced = await shop.announcements();
      await payButton().click();
      await says("Check the amount and the address");
      wallet.transfers[0]?.reject(new Error("Something went wrong."));
      await says("It is unclear");
      const unclear =
        "It is unclear whether Anvil Wallet sent the payment. Check in the wallet before you try again.";
      expect(await announced()).toEqual([
        "Open Anvil Wallet and choose an account.",
        "Check the amount and the address in Anvil Wallet, then confirm.",
        unclear,
      ]);
      await payButton().click();
      await shop.page.locator('[part="notice"]', { hasText: unclear }).waitFor();
      expect((await announced()).filter((text) => text === unclear)).toHaveLength(1);
    });

    test("is announced together with the outcome that leaves it open", async () => {
      const { paymentId } = await showing();
      const announced = await shop.announcements();
      await shop.sandbox.payments.simulate(paymentId, "timeout");
      await shop.refresh();
      await says("Reject the request in Anvil Wallet if it is still open");
      expect(await announced()).toEqual([
        "The payment has expired",
        expect.stringContaining("Nothing arrived in time."),
        "Reject the request in Anvil Wallet if it is still open, so that nothing is sent.",
      ]);
    });

    test("is remembered after the page was reloaded", async () => {
      const { paymentId, hash } = await sent();
      await shop.page.reload();
      await shop.shows("sent");
      await says("Anvil Wallet has sent the payment.");
      expect(await hashes()).toBe(hash);
      await expect.poll(() => told(paymentId)).toEqual([hash, hash]);
      await shop.sandbox.payments.simulate(paymentId, "success");
      await shop.refresh();
      await shop.shows("over");
    });

    test("may have been sent if the page was reloaded while the wallet showed it", async () => {
      await showing();
      await shop.page.reload();
      // Above the address, which the customer would otherwise pay first.
      const notice = shop.page.locator('[part="notice"]');
      await notice.getByText("It is unclear whether Anvil Wallet sent the payment.").waitFor();
      await payButton().click();
      await says("Check the amount and the address");
      wallet.reject(1);
      await says("You rejected the request");
      await shop.page.reload();
      await payButton().waitFor();
      expect(await shop.page.locator('[part="wallet-status"]').isVisible()).toBe(false);
    });

    test.each<[string, () => unknown]>([
      [
        "the payment can no longer be read",
        async () => {
          await shop.page.route(`${shop.service.url}/**`, (route) =>
            route.fulfill({ status: 403 }),
          );
          await shop.refresh();
        },
      ],
      [
        "an attribute becomes invalid",
        () => shop.element.evaluate((it) => it.setAttribute("environment", "moon")),
      ],
    ])("must be rejected in the wallet if %s, and is not forgotten", async (_, spoil) => {
      await showing();
      await spoil();
      await shop.shows("problem");
      await says("Reject the request in Anvil Wallet if it is still open");
      expect(wallet.withdrawals).toBe(1);
      const hash = wallet.confirm(0);
      const notice = shop.page.locator('[part="notice"]');
      await notice.getByText("Anvil Wallet has already sent this payment.").waitFor();
      expect(await hashes()).toBe(hash);
      await shop.refresh();
      await shop.shows("problem");
    });

    test("is reported repeatedly, and a repeated failure to report it only once", async () => {
      const page = await shop.watch();
      await page.clock.install();
      await wallet.join(page);
      let reports = 0;
      await page.route(`${shop.service.url}/**/refresh-status`, (route) => {
        if (route.request().method() === "POST") reports += 1;
        return route.fulfill({ status: 422 });
      });
      await shop.visit(await shop.order());
      await payButton().click();
      await expect.poll(() => wallet.transfers.length).toBe(1);
      wallet.confirm(0);
      await shop.shows("sent");
      await page.clock.runFor(11_000);
      await expect.poll(() => reports).toBeGreaterThan(2);
      expect(shop.events.filter(({ name }) => name === "error")).toHaveLength(1);
    });

    test("belongs to its payment only", async () => {
      await sent();
      await shop.visit(await shop.order());
      await payButton().waitFor();
    });

    test("is reported to the service even after the element was removed", async () => {
      const { paymentId } = await showing();
      await shop.element.evaluate((it) => it.remove());
      const hash = wallet.confirm(0);
      await expect.poll(() => told(paymentId)).toContain(hash);
    });

    test("is withdrawn when the element shows another payment, and reported if it is confirmed anyway", async () => {
      const { paymentId } = await showing();
      const next = await shop.order({ amount: 9900 });
      await shop.element.evaluate((it, properties) => Object.assign(it, properties), next);
      await shop.page.getByText("99 USDC").waitFor();
      await expect.poll(() => wallet.withdrawals).toBe(1);
      const hash = wallet.confirm(0);
      await expect.poll(() => told(paymentId)).toContain(hash);
      expect(told(next.paymentId)).toEqual([]);
      expect(await payButton().isVisible()).toBe(true);
    });

    test("is not reported under another payment when its outcome becomes unknown", async () => {
      await showing();
      const next = await shop.order({ amount: 9900 });
      await shop.element.evaluate((it, properties) => Object.assign(it, properties), next);
      await shop.page.getByText("99 USDC").waitFor();
      wallet.transfers[0]?.reject(new Error("Something went wrong."));
      const stored = () => shop.page.evaluate("Object.values(localStorage)");
      await expect.poll(stored).toEqual([expect.stringMatching(/^\[\{/)]);
      const codes = shop.events.map(({ detail }) => detail.code);
      expect(codes).not.toContain("wallet_outcome_unknown");
    });

    test("must be rejected by a customer who cancels, and blocks another one until then", async () => {
      await showing();
      await click("Cancel");
      await says("Reject the request in Anvil Wallet if it is still open");
      await shop.page.getByText("ETH", { exact: true }).click();
      await shop.page.getByText(/^[\d.]+ ETH$/).waitFor();
      await says("Reject the request in Anvil Wallet if it is still open");
      expect(await payButton().getAttribute("aria-disabled")).toBe("true");
      await payButton().click({ force: true });
      wallet.reject(0);
      await shop.page.locator('[part="wallet-status"]').waitFor({ state: "hidden" });
      expect(await payButton().getAttribute("aria-disabled")).toBeNull();
      expect(wallet.transfers.length).toBe(1);
      expect(shop.events.filter(({ name }) => name === "error")).toEqual([]);
    });

    test.each([
      ["cancelled", {}, "Cancel"],
      ["changed the amount of a deposit", { type: "deposit" }, "Change the amount"],
    ])("counts when it is confirmed after the customer %s", async (_, fields, button) => {
      const { paymentId } = await showing(fields);
      await click(button);
      await says("Reject the request in Anvil Wallet if it is still open");
      const hash = wallet.confirm(0);
      await shop.shows("sent");
      await expect.poll(() => told(paymentId)).toContain(hash);
    });

    test("has its own status, and a warning before the customer can pay again", async () => {
      const { hash } = await sent();
      expect(await shop.page.getByRole("status").textContent()).toContain("Payment sent");
      const address = shop.page.locator('[part="address"]');
      await click("Pay another way");
      await says("Anvil Wallet has already sent this payment.");
      await click("Keep waiting");
      await says("Anvil Wallet has sent the payment.");
      // Nothing is paid again by accident, wherever the second click lands.
      for (const width of [1280, 640, 480, 320]) {
        await shop.page.setViewportSize({ width, height: 1200 });
        const button = shop.page.getByRole("button", { name: "Pay another way" });
        await button.dblclick();
        expect(await address.isVisible()).toBe(false);
        if (!(await button.isVisible())) await click("Keep waiting");
      }
      await click("Pay another way");
      await click("Pay again anyway");
      await address.waitFor();
      const notice = await shop.page.locator('[part="notice"]').textContent();
      expect(notice).toContain("otherwise you pay twice");
      expect(await hashes()).toBe(hash);
      await payButton().click();
      await says("Check the amount and the address");
      const second = wallet.confirm(1);
      await shop.shows("sent");
      expect(await hashes()).toBe(`${hash}\n${second}`);
    });

    test("is shown as sent when the payment expires, and as paid when it arrives", async () => {
      const page = await shop.watch();
      await page.clock.install();
      await wallet.join(page);
      const order = await shop.order();
      await shop.visit(order);
      await payButton().click();
      await expect.poll(() => wallet.transfers.length).toBe(1);
      const hash = wallet.confirm(0);
      await shop.shows("sent");
      await shop.sandbox.payments.simulate(order.paymentId, "timeout");
      await shop.refresh();
      await shop.outcome("Your transfer was sent, but did not arrive in time.").waitFor();
      expect(await hashes()).toBe(hash);
      await shop.sandbox.payments.simulate(order.paymentId, "late");
      await page.clock.runFor(6_000);
      await shop.outcome("$25.00 arrived. Thank you.").waitFor();
      expect(await hashes()).toContain(hash);
    });
  });
}
