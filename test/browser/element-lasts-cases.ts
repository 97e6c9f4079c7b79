import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { elementShop } from "./element-shop.ts";
import { ShowingWallet } from "./showing-wallet.ts";
import { accessibilityViolations, stopClock } from "./watched-page.ts";

export function elementLastsCases(browser: () => Browser): void {
  describe("the checkout element, over the life of a payment,", () => {
    const shop = elementShop(browser);
    const names = () => shop.events.map(({ name }) => name);
    const status = () => shop.page.getByRole("status").textContent();
    const card = () => shop.page.locator('[part="card"]');

    /** Refuses the next requests of one of the payment's operations. */
    const refuse = (path: string, code: number, times: number) =>
      shop.page.route(
        `${shop.service.url}/**/${path}`,
        (route) => route.fulfill({ status: code }),
        { times },
      );

    test("reports once that it was paid, and remembers that the customer stays", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.visit(order, { "return-url": "/thanks" });
      await shop.shows("over");
      await page.clock.runFor(500);
      await page.getByRole("button", { name: "Stay here" }).click();
      await shop.element.evaluate((it) => {
        it.setAttribute("header-prefix", "X-Service");
        it.setAttribute("lang", "de");
        const { parentNode } = it;
        setTimeout(() => it.remove(), 100);
        setTimeout(() => parentNode?.append(it), 200);
      });
      await page.clock.runFor(500);
      await shop.outcome("Vielen Dank.").waitFor();
      await page.clock.runFor(10_000);
      expect(new URL(page.url()).pathname).toBe("/");
      expect(names()).toEqual(["change", "paid"]);
    });

    test("keeps the customer's input when its texts change, and does not render equal texts again", async () => {
      const page = await shop.watch();
      await shop.visit(await shop.order({ type: "deposit" }));
      const input = page.getByRole("textbox");
      await input.fill("77.10");
      const set = (messages: object) =>
        shop.element.evaluate((it, texts) => {
          const { shadowRoot } = it;
          const before = shadowRoot?.firstElementChild;
          Object.assign(it, { messages: texts });
          return new Promise<boolean>((resolve) =>
            setTimeout(() => resolve(before === shadowRoot?.firstElementChild)),
          );
        }, messages);
      expect(await set({})).toBe(true);
      expect(await set({ continue: "Go on" })).toBe(false);
      expect(await set({ continue: "Go on" })).toBe(true);
      await shop.element.evaluate((it) => it.setAttribute("lang", "fr"));
      await page.locator('[part="card"][lang="fr"]').waitFor();
      expect(await input.inputValue()).toBe("77.10");
      const focused = () => shop.element.evaluate((it) => it.shadowRoot?.activeElement?.localName);
      expect(await focused()).toBe("input");
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByText("77.1 USDC").waitFor();
      await shop.element.evaluate((it) => it.setAttribute("header-prefix", "X-Service"));
      await page.getByText("77.1 USDC").waitFor();
      // The button is gone, and the focus stays in the element.
      expect(await focused()).toBe("section");
      await shop.element.evaluate((it) => it.setAttribute("lang", "de"));
      await page.locator('[part="card"][lang="de"]').waitFor();
      expect(await focused()).toBe("section");
    });

    test("continues after one status request was refused", async () => {
      const page = await shop.watch();
      await page.clock.install();
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      await refuse("status", 403, 1);
      await page.clock.runFor(15_000);
      expect(await page.getByText("25 USDC").isVisible()).toBe(true);
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await page.clock.runFor(15_000);
      await shop.outcome("$25.00 arrived. Thank you.").waitFor();
    });

    test("notices money that arrives within 15 minutes after the payment expired", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const [seen, missed] = [await shop.order(), await shop.order()];
      const reads = () => shop.sandbox.requests().filter(({ method }) => method === "GET").length;
      for (const { paymentId } of [seen, missed]) {
        await shop.sandbox.payments.simulate(paymentId, "timeout");
      }
      await shop.visit(seen);
      await shop.outcome("Nothing arrived in time.").waitFor();
      await shop.sandbox.payments.simulate(seen.paymentId, "late");
      await page.clock.runFor(31_000);
      await shop.outcome("$25.00 arrived. Thank you.").waitFor();
      expect(names()).toEqual(["change", "expired", "change", "paid"]);

      await shop.visit(missed);
      await shop.outcome("Nothing arrived in time.").waitFor();
      await page.clock.fastForward("15:01");
      const before = reads();
      await page.clock.runFor(61_000);
      expect(reads()).toBe(before);
    });

    test("shows how a payment ended, even if the service refuses later reads", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await shop.sandbox.payments.simulate(order.paymentId, "timeout");
      await shop.visit(order);
      await shop.outcome("Nothing arrived in time.").waitFor();
      let refused = 0;
      await page.route(`${shop.service.url}/**/${order.paymentId}`, (route) => {
        if (route.request().method() === "GET") refused += 1;
        return route.fulfill({ status: 403, headers: { "access-control-allow-origin": "*" } });
      });
      await page.clock.runFor(31_000);
      await expect.poll(() => refused).toBe(1);
      await page.clock.runFor(15_000);
      expect(refused).toBe(1);
      // A refusal, too, shows that there is a connection again.
      await page.evaluate(() => dispatchEvent(new Event("offline")));
      await page.clock.runFor(4_000);
      await expect.poll(() => refused).toBe(2);
      for (let step = 0; step < 18; step += 1) await page.clock.runFor(500);
      expect(refused).toBe(2);
      expect(await shop.outcome("Nothing arrived in time.").isVisible()).toBe(true);
    });

    test("shows why a payment can no longer be read, and retries", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await shop.visit(order);
      await page.getByText("25 USDC").waitFor();
      await refuse(order.paymentId, 403, 2);
      await shop.refresh();
      await shop.shows("problem");
      expect(await status()).toContain("cannot be opened with this link (HTTP 403)");
      expect(await page.locator('[part="steps"]').isVisible()).toBe(false);
      await shop.refresh();
      expect(names().filter((name) => name === "error")).toHaveLength(1);
      await page.clock.runFor(16_000);
      await page.getByText("25 USDC").waitFor();
    });

    test("follows a payment that could not be found at first", async () => {
      const page = await shop.watch();
      await stopClock(page);
      const order = await shop.order();
      await refuse(order.paymentId, 404, 1);
      await shop.visit(order);
      await shop.shows("problem");
      await shop.refresh();
      await page.getByText("25 USDC").waitFor();
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await page.clock.runFor(15_000);
      await shop.outcome("$25.00 arrived. Thank you.").waitFor();
    });

    test("keeps the focus on a wallet's button while it loads another price", async () => {
      const page = await shop.watch();
      await new ShowingWallet().join(page);
      await stopClock(page);
      await shop.visit(await shop.order());
      const pay = page.getByRole("button", { name: "Pay with Anvil Wallet" });
      await pay.focus();
      let asked = 0;
      const answer = Promise.withResolvers<void>();
      await page.route(`${shop.service.url}/**/quotes`, async (route) => {
        asked += 1;
        await answer.promise;
        await route.continue();
      });
      await shop.sandbox.clock.advance("11m");
      await page.clock.fastForward("10:30");
      await expect.poll(() => asked).toBe(1);
      expect(await pay.isDisabled()).toBe(true);
      answer.resolve();
      await page.getByText("25 USDC").waitFor();
      expect([await pay.isEnabled(), await pay.evaluate((it) => it.matches(":focus"))]).toEqual([
        true,
        true,
      ]);
    });

    test("shows in red that there is no price, and hides the payment details", async () => {
      const page = await shop.watch();
      await refuse("quotes", 422, 1);
      await shop.visit(await shop.order());
      await expect.poll(status).toContain("The price could not be loaded (HTTP 422)");
      expect(await card().getAttribute("data-tone")).toBe("bad");
      expect(await page.locator('[part="transfer"]').isVisible()).toBe(false);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("25 USDC").waitFor();
      expect(await card().getAttribute("data-tone")).toBe("open");
    });

    test("selects text that it cannot copy, and shows how to copy it by hand", async () => {
      const page = await shop.watch();
      await page.addInitScript(() => {
        Object.defineProperty(navigator, "clipboard", { value: undefined });
        document.execCommand = () => false;
      });
      await shop.visit(await shop.order());
      await page.getByText("25 USDC").waitFor();
      await page.getByRole("button", { name: "Copy the amount" }).click();
      await page.locator("dd", { hasText: "Select and copy it by hand" }).waitFor();
      expect(await page.evaluate(() => getSelection()?.toString())).toBe("25");
    });

    test("follows the page's language, also in a shadow tree, and sets its own lang attribute", async () => {
      const page = await shop.watch();
      await shop.visit(await shop.order());
      const speaks = (language: string) =>
        page.locator(`[part="card"][lang="${language}"]`).waitFor();
      await speaks("en");
      await shop.element.evaluate((it) => {
        document.documentElement.lang = "de_DE";
        const host = document.createElement("section");
        host.attachShadow({ mode: "open" }).append(it);
        document.body.append(host);
      });
      await speaks("de");
      await page.evaluate(() => document.documentElement.setAttribute("lang", "zh-TW"));
      await speaks("zh-Hans");
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("US$25.00");
      await page.evaluate(() => document.querySelector("section")?.setAttribute("lang", "fr"));
      await speaks("fr");
    });

    test("keeps its styles in another document", async () => {
      const page = await shop.watch();
      await shop.visit(await shop.order());
      await page.getByText("25 USDC").waitFor();
      const radius = await shop.element.evaluate(async (it) => {
        const frame = document.createElement("iframe");
        document.body.append(frame);
        frame.contentDocument?.body.append(it);
        const moved = it.shadowRoot?.firstElementChild;
        return moved && frame.contentWindow?.getComputedStyle(moved).borderRadius;
      });
      expect(radius).toBe("20px");
    });

    test("has its own accessible name next to another element", async () => {
      const page = await shop.watch();
      await shop.visit(await shop.order());
      const other = await shop.order({ orderId: "order_2" });
      await shop.element.evaluate(
        (it, properties) => {
          it.after(Object.assign(document.createElement("settlekit-checkout"), properties));
        },
        { ...other, baseUrl: shop.service.url },
      );
      await page.getByRole("region", { name: "Payment, Sandbox Merchant, order_2" }).waitFor();
      await expect.poll(() => page.getByText("25 USDC").count()).toBe(2);
      const violations = await accessibilityViolations(page);
      expect(violations.filter((rule) => rule.startsWith("landmark"))).toEqual([]);
    });

    test("resets its state for another payment", async () => {
      const page = await shop.watch();
      const order = await shop.order();
      await shop.sandbox.payments.simulate(order.paymentId, "success");
      await shop.visit(order);
      await shop.shows("over");
      const { paymentId, secret } = await shop.order({ amount: 9900, orderId: "order_2" });
      const next = { paymentId, secret };
      await shop.element.evaluate((it, properties) => Object.assign(it, properties), next);
      await page.getByText("99 USDC").waitFor();
      expect(names()).toEqual(["change", "paid", "change"]);
    });
  });
}
