import type { Browser, Page } from "playwright-core";
import { createSandbox, type Sandbox, type SandboxServer } from "settlekit/sandbox";
import { Webhooks } from "settlekit/webhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { create, newYear, withdraw } from "../sandbox/merchant.ts";
import { accessibilityViolations, type WatchedPage, watchedPage } from "./watched-page.ts";

export function scenarioCases(browser: () => Browser): void {
  describe("a scenario", () => {
    let sandbox: Sandbox;
    let service: SandboxServer;
    let watched: WatchedPage;
    let page: Page;
    /** The status codes of the shop's responses to webhooks. */
    let answers: number[];

    beforeEach(async () => {
      answers = [];
      sandbox = createSandbox({
        now: newYear,
        deliver: async (request) => {
          const answer = await receive(request);
          answers.push(answer.status);
          return answer;
        },
      });
      const webhooks = new Webhooks({ secret: sandbox.webhookSecret, now: sandbox.clock.now });
      const receive = webhooks.fetchHandler();
      service = await sandbox.listen({ port: 0 });
      watched = await watchedPage(browser());
      page = watched.page;
    });

    afterEach(async () => {
      await page.context().close();
      await service.close();
      expect(watched.troubles).toEqual([]);
    });

    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const disabled = (name: string) => page.getByRole("button", { name, disabled: true });

    test("runs step by step on the payment page, which shows the confirmations rise", async () => {
      const { paymentId } = await create(sandbox);
      await page.goto(`${service.url}/payment/${paymentId}`);
      await page.locator("label", { hasText: "In steps" }).click();
      await button("Pay in full").click();
      for (const count of [1, 4, 7]) {
        await button("Next step").click();
        await page.getByText(`${count} of 10 confirmations`).waitFor();
      }
      expect(await page.getByText("Payment detected").isVisible()).toBe(true);
      expect(await page.locator('[aria-current="step"]').textContent()).toBe("Confirming");
      await disabled("Pay too little").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await button("Next step").click();
      await page.locator('[part="outcome"]').getByText("$25.00 arrived. Thank you.").waitFor();
      await button("Next step").waitFor({ state: "hidden" });
      await sandbox.webhooks.idle();
      // Created, processing, completed: confirmations change no status.
      expect(answers).toEqual([200, 200, 200]);
    });

    test("can be chosen on a phone with text of twice the size", async () => {
      const { paymentId } = await create(sandbox);
      await page.setViewportSize({ width: 320, height: 800 });
      const browserSettings = await page.context().newCDPSession(page);
      await browserSettings.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
      for (const path of [`/payment/${paymentId}`, "/_sandbox"]) {
        await page.goto(`${service.url}${path}`);
        await button("Let it expire").or(page.getByText("New payment")).waitFor();
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(320);
      }
    });

    test("runs on a timer, and the page follows it", async () => {
      const { paymentId } = await create(sandbox);
      await page.goto(`${service.url}/payment/${paymentId}`);
      await page.locator("label", { hasText: "On a timer" }).click();
      await button("Pay in full").click();
      await page.getByText("Next: processing, 1 confirmation, at 00:00:02.").waitFor();
      await sandbox.clock.advance("2s");
      await page.getByText("1 of 10 confirmations").waitFor();
      await sandbox.clock.advance("1m");
      await page.locator('[part="outcome"]').getByText("$25.00 arrived. Thank you.").waitFor();
    });

    test("starts once, however often its button is clicked", async () => {
      const { paymentId } = await create(sandbox);
      await page.goto(`${service.url}/payment/${paymentId}`);
      await page.getByText("25 USDC").waitFor();
      await button("Pay in full").evaluate((element) => {
        for (let click = 0; click < 3; click++) (element as HTMLButtonElement).click();
      });
      await page.locator('[part="outcome"]').getByText("$25.00 arrived. Thank you.").waitFor();
      await disabled("Pay in full").waitFor();
      const said = page.locator("#said");
      expect(await said.textContent()).toBe("");
      // Screen readers may miss the first message of a live region that was hidden until then.
      expect(await said.evaluate((it) => it.checkVisibility())).toBe(true);
    });

    test("can be followed by another one after the page failed to refresh", async () => {
      const { paymentId } = await create(sandbox);
      await page.goto(`${service.url}/payment/${paymentId}`);
      await button("Let it expire").waitFor();
      await page.evaluate(() => {
        const { fetch } = window;
        const broken = () => new Response(new ReadableStream({ start: (it) => it.error(Error()) }));
        window.fetch = async (input, init) =>
          input === location.pathname ? broken() : fetch(input, init);
      });
      await button("Let it expire").click();
      await page.locator('[part="outcome"]').getByText("Nothing arrived in time.").waitFor();
      // The buttons are unchanged, although the payment has expired.
      await button("Pay late").evaluate((element) => (element as HTMLButtonElement).click());
      await page.locator('[part="outcome"]').getByText("$25.00 arrived. Thank you.").waitFor();
    });

    test("can pay late, which an expired payment still accepts", async () => {
      const { paymentId } = await create(sandbox);
      await page.goto(`${service.url}/payment/${paymentId}`);
      await button("Let it expire").click();
      await page.locator('[part="outcome"]').getByText("Nothing arrived in time.").waitFor();
      await disabled("Pay in full").waitFor();
      await button("Pay late").click();
      await page.locator('[part="outcome"]').getByText("$25.00 arrived. Thank you.").waitFor();
      await sandbox.webhooks.idle();
      expect(sandbox.webhooks.deliveries().map(({ data }) => data.status)).toEqual([
        "pending",
        "expired",
        "completed",
      ]);
    });

    test("runs step by step in the inspector, for withdrawals too", async () => {
      const { paymentId } = await create(sandbox);
      const { id } = await withdraw(sandbox, { orderId: "payout_1" });
      await page.goto(`${service.url}/_sandbox`);
      await page.locator("label", { hasText: "In steps" }).click();
      await button("Pay in full order order_1").click();
      await button("Next step order order_1").click();
      const card = page.locator(`#payment-${paymentId}`);
      await card.getByText("1 of 10 confirmations").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await button("Complete withdrawal payout_1").click();
      await button("Next step withdrawal payout_1").click();
      await page.locator(`#withdrawal-${id} .badge`, { hasText: "processing" }).waitFor();
      await button("Next step withdrawal payout_1").click();
      await page.locator(`#withdrawal-${id} .badge`, { hasText: "completed" }).waitFor();
    });

    test("resends a webhook that the shop's verifier must refuse", async () => {
      await create(sandbox);
      await sandbox.webhooks.idle();
      await page.goto(`${service.url}/_sandbox`);
      await page.locator(".webhook > details > summary").click();
      // Both at once: the second click does not wait for the page to show the effect of the first.
      const twice = await button("twice again").elementHandle();
      await button("signed with another secret again").evaluate((element, other) => {
        for (const it of [element, other]) (it as HTMLButtonElement).click();
      }, twice);
      await page.locator(".attempt", { hasText: "wrong-secret" }).getByText("401").waitFor();
      await page.locator(".attempt", { hasText: "duplicate" }).getByText("200").waitFor();
      await sandbox.webhooks.idle();
      expect(answers).toEqual([200, 401, 200, 200]);
    });

    test("adds disorder to the next webhooks, and clears it", async () => {
      await page.goto(`${service.url}/_sandbox`);
      await page.getByText("Add disorder").first().click();
      const choose = (name: string, label: string) =>
        page.getByRole("combobox", { name }).last().selectOption({ label });
      await choose("The next webhook arrives", "tampered with");
      await choose("Event", "payment.created");
      await choose("How often", "always");
      await button("Add disorder").click();
      await page.getByText("arrives tampered with").waitFor();
      await create(sandbox);
      await page.locator(".attempt .badge", { hasText: "401" }).waitFor();
      await button("Clear all disorder").click();
      await page.getByText("arrives tampered with").waitFor({ state: "detached" });
      await create(sandbox);
      await sandbox.webhooks.idle();
      expect(answers).toEqual([401, 200]);
    });
  });
}
