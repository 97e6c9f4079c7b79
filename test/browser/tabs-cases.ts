import type { Browser } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { elementShop } from "./element-shop.ts";
import { ShowingWallet } from "./showing-wallet.ts";

export function tabsCases(browser: () => Browser): void {
  describe("a payment that several elements show", () => {
    const shop = elementShop(browser);
    let wallet: ShowingWallet;

    beforeEach(() => {
      wallet = new ShowingWallet();
    });

    const payButton = () => shop.page.getByRole("button", { name: "Pay with Anvil Wallet" });
    const says = (text: string) =>
      shop.page.locator('[part="wallet-status"] p', { hasText: text }).waitFor();
    const errors = () =>
      shop.events.filter(({ name }) => name === "error").map(({ detail }) => detail.code);
    const withoutLocks = () => {
      Object.defineProperty(navigator, "locks", { value: undefined });
    };

    /** Opens a page with two elements. */
    async function twoElements(prepare = () => {}) {
      const page = await shop.watch();
      await page.addInitScript(prepare);
      await wallet.join(page);
      await shop.visit(await shop.order());
      await payButton().waitFor();
      await shop.element.evaluate((it) => it.after(it.cloneNode()));
      await expect.poll(() => payButton().count()).toBe(2);
      return { first: payButton().nth(0), second: payButton().nth(1) };
    }

    /** Opens a payment in two tabs of one browser. */
    async function twoTabs(prepare = () => {}) {
      const page = await shop.watch();
      await page.context().addInitScript(prepare);
      await wallet.join(page);
      await shop.visit(await shop.order());
      await payButton().waitFor();
      const tab = await page.context().newPage();
      await wallet.join(tab);
      await tab.goto(page.url());
      const line = (text: string) =>
        tab.locator('[part="wallet-status"] p', { hasText: text }).waitFor();
      const pay = tab.getByRole("button", { name: "Pay with Anvil Wallet" });
      /** Pays from the second tab, which without locks cannot tell that the first one still waits for the wallet. */
      const payInDoubt = async () => {
        await pay.click();
        await tab.locator('[part="notice"]', { hasText: "It is unclear whether" }).waitFor();
        await pay.click();
      };
      return { tab, pay, payInDoubt, line };
    }

    test("is known as sent to another element on the page at once", async () => {
      const { first } = await twoElements();
      await first.click();
      await says("Check the amount and the address");
      const hash = wallet.confirm(0);
      await expect.poll(() => payButton().count()).toBe(0);
      const transactions = shop.page.locator('[part="transaction"]');
      await expect.poll(() => transactions.allTextContents()).toEqual([hash, hash]);
      expect([wallet.transfers.length, wallet.withdrawals, errors()]).toEqual([1, 0, []]);
    });

    test("is known as sent to the element that replaced the one that asked the wallet", async () => {
      const { first } = await twoElements();
      await first.click();
      await says("Check the amount and the address");
      await shop.element.first().evaluate((it) => it.remove());
      const hash = wallet.confirm(0);
      await says("Anvil Wallet has sent the payment.");
      expect(await shop.page.locator('[part="transaction"]').textContent()).toBe(hash);
      expect(await payButton().count()).toBe(0);
    });

    test.each<[string, () => void]>([
      [
        "the browser forbids storage",
        () => {
          Object.defineProperty(globalThis, "localStorage", {
            get() {
              throw new DOMException("forbidden", "SecurityError");
            },
          });
        },
      ],
      [
        "something else wrote into storage",
        () => {
          Storage.prototype.getItem = () => '[{"hash": 1}, null, "0x"]';
        },
      ],
      [
        "storage holds no list",
        () => {
          Storage.prototype.getItem = () => '{"hash": 1}';
        },
      ],
    ])("is known as sent until the page is left if %s", async (_, spoil) => {
      const page = await shop.watch();
      await page.addInitScript(spoil);
      await wallet.join(page);
      await shop.visit(await shop.order());
      await payButton().click();
      await expect.poll(() => wallet.transfers.length).toBe(1);
      const hash = wallet.confirm(0);
      await says("Anvil Wallet has sent the payment.");
      expect(await page.locator('[part="transaction"]').textContent()).toBe(hash);
    });

    test.each([
      ["", () => {}],
      [", even without locks", withoutLocks],
    ])("is requested by only one element on the page at a time%s", async (_, prepare) => {
      const { first, second } = await twoElements(prepare);
      await first.click();
      await says("Check the amount and the address");
      await second.click();
      await says("A wallet request is still pending. Respond to it first.");
      expect(wallet.transfers.length).toBe(1);
      expect(errors()).toEqual(["wallet_busy"]);
      wallet.reject(0);
      await says("You rejected the request in Anvil Wallet.");
      await second.click();
      await expect.poll(() => wallet.transfers.length).toBe(2);
    });

    test("is requested once when its button is clicked twice", async () => {
      const { first } = await twoElements();
      await first.evaluate((it) => {
        (it as HTMLElement).click();
        (it as HTMLElement).click();
      });
      await says("Check the amount and the address");
      expect(wallet.transfers.length).toBe(1);
      expect(errors()).toEqual([]);
    });

    test("is requested from only one tab at a time", async () => {
      const { pay, line } = await twoTabs();
      await payButton().click();
      await says("Check the amount and the address");
      await pay.click();
      await line("A wallet request is still pending.");
      expect(wallet.transfers.length).toBe(1);
      wallet.reject(0);
      await says("You rejected the request");
      await pay.click();
      await expect.poll(() => wallet.transfers.length).toBe(2);
    });

    test("is not in doubt in a tab that opens while another one asks", async () => {
      const { tab, pay } = await twoTabs();
      await payButton().click();
      await says("Check the amount and the address");
      await tab.reload();
      await pay.waitFor();
      expect(await tab.locator('[part="wallet-status"]').isVisible()).toBe(false);
    });

    test("can be requested from another tab after one cancelled or was closed", async () => {
      const { tab, pay, line } = await twoTabs();
      const unlocking = Promise.withResolvers<void>();
      wallet.unlocked = unlocking.promise;
      await payButton().click();
      await says("Open Anvil Wallet and choose an account.");
      await shop.page.getByRole("button", { name: "Cancel" }).click();
      await pay.click();
      await line("Open Anvil Wallet and choose an account.");
      await tab.close();
      // The browser releases the closed tab's lock a moment later.
      const held = () => shop.page.evaluate(async () => (await navigator.locks.query()).held);
      await expect.poll(held).toEqual([]);
      await payButton().click();
      unlocking.resolve();
      await says("Check the amount and the address");
      expect([wallet.transfers.length, errors()]).toEqual([1, []]);
    });

    test("can be requested by another element after the one that waits for an account was removed", async () => {
      const unlocking = Promise.withResolvers<void>();
      wallet.unlocked = unlocking.promise;
      const { first } = await twoElements();
      await first.click();
      await says("Open Anvil Wallet and choose an account.");
      await shop.element.first().evaluate((it) => it.remove());
      await payButton().click();
      await says("Open Anvil Wallet and choose an account.");
      unlocking.resolve();
      await says("Check the amount and the address");
      expect([wallet.transfers.length, errors()]).toEqual([1, []]);
    });

    test("is known as sent to another tab at once", async () => {
      const { tab, line } = await twoTabs();
      await payButton().click();
      await says("Check the amount and the address");
      const hash = wallet.confirm(0);
      await line("Anvil Wallet has sent the payment.");
      expect(await tab.locator('[part="transaction"]').textContent()).toBe(hash);
    });

    test("is known to be in doubt in another tab at once", async () => {
      const { tab } = await twoTabs();
      await payButton().click();
      await says("Check the amount and the address");
      wallet.transfers[0]?.reject(new Error("Something went wrong."));
      await tab.locator('[part="notice"]', { hasText: "It is unclear whether" }).waitFor();
    });

    test("is not requested from a tab that learns only then that another tab has sent it", async () => {
      const { payInDoubt, line } = await twoTabs(() => {
        Object.defineProperty(navigator, "locks", { value: undefined });
        addEventListener("storage", (event) => event.stopImmediatePropagation());
      });
      const unlocking = Promise.withResolvers<void>();
      await payButton().click();
      await says("Check the amount and the address");
      wallet.unlocked = unlocking.promise;
      await payInDoubt();
      await line("Open Anvil Wallet and choose an account.");
      wallet.confirm(0);
      await says("Anvil Wallet has sent the payment.");
      unlocking.resolve();
      await line("Anvil Wallet has sent the payment.");
      expect([wallet.transfers.length, errors()]).toEqual([1, []]);
    });

    test("is withdrawn from the wallet of a tab without locks once another tab has sent it", async () => {
      const { payInDoubt, line } = await twoTabs(withoutLocks);
      await payButton().click();
      await says("Check the amount and the address");
      await payInDoubt();
      await line("Check the amount and the address");
      wallet.confirm(0);
      await line("Reject the request in Anvil Wallet if it is still open");
      wallet.reject(1);
      await line("Anvil Wallet has sent the payment.");
    });
  });
}
