import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { createSandbox, type Sandbox, type SandboxServer } from "settlekit/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { create, newYear, paymentsPath, send, withdraw } from "../sandbox/merchant.ts";
import {
  accessibilityViolations,
  setHidden,
  stopClock,
  type WatchedPage,
  watchedPage,
} from "./watched-page.ts";

export function inspectorToolsCases(browser: () => Browser): void {
  describe("the inspector's tools", () => {
    let sandbox: Sandbox;
    let service: SandboxServer;
    let watched: WatchedPage;
    let page: Page;

    beforeEach(async () => {
      sandbox = createSandbox({ now: newYear, merchants: [{}, { name: "Corner Store" }] });
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

    test("open when a browser requests the sandbox's root", async () => {
      await page.goto(service.url);
      expect(page.url()).toBe(`${service.url}/_sandbox`);
    });

    test("create payments and withdrawals without a shop, and name the merchant of each payment", async () => {
      await page.goto(`${service.url}/_sandbox`);
      await page.locator("summary", { hasText: "New payment" }).click();
      const form = page.locator('form[data-post="payments"]');
      await form.getByRole("combobox", { name: "Merchant" }).selectOption("Corner Store");
      await form.getByLabel("Amount in US dollars").fill("12.34");
      await form.getByLabel("Order ID").fill("order_77");
      await button("Create payment").click();
      const card = page.locator("#payments-title ~ ul li");
      await card.getByText("Corner Store").waitFor();
      const [payment] = sandbox.payments.all();
      expect(payment).toMatchObject({ amountInCents: 1_234, orderId: "order_77" });
      expect(payment?.merchantId).toBe(sandbox.merchants[1]?.merchantId);

      await page.locator("summary", { hasText: "New withdrawal" }).click();
      await page.locator('form[data-post="withdrawals"]').getByLabel("Order ID").fill("");
      const recipient = page.getByLabel("Recipient address on Base Sepolia");
      expect(await recipient.evaluate((it) => it.scrollWidth - it.clientWidth)).toBeLessThan(1);
      await button("Create withdrawal").click();
      await page.locator("#withdrawals-title ~ ul li").getByText("$125.00").waitFor();
      expect(sandbox.requests().map(({ status }) => status)).toEqual([201, 201]);
      expect(sandbox.withdrawals.all()[0]?.orderId).toBeUndefined();
      await card.getByRole("link", { name: "Payment page" }).click();
      await page.getByText("12.34 USDC").waitFor();
    });

    test("show why the service refused a request", async () => {
      await page.goto(`${service.url}/_sandbox`);
      await page.locator("summary", { hasText: "New payment" }).click();
      const form = page.locator('form[data-post="payments"]');
      await form.getByLabel("Amount in US dollars").fill("1");
      await button("Create payment").click();
      await page.locator("#said", { hasText: "amount must be from 250" }).waitFor();
      // The browser itself logs each error response.
      expect(watched.troubles.splice(0)).toEqual([expect.stringContaining("status of 422")]);
    });

    test("keep the reason for a refusal when the stream of events opens after it", async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route("**/_sandbox/events", async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(`${service.url}/_sandbox`);
      await page.locator("summary", { hasText: "New payment" }).click();
      await page.getByLabel("Amount in US dollars").first().fill("1");
      await button("Create payment").click();
      const reason = page.locator("#said", { hasText: "amount must be from 250" });
      await reason.waitFor();
      release();
      // Shown once the stream is open.
      await create(sandbox, { orderId: "order_2" });
      await page.locator("#payments-title ~ ul li", { hasText: "order_2" }).waitFor();
      expect(await reason.count()).toBe(1);
      expect(watched.troubles.splice(0)).toEqual([expect.stringContaining("status of 422")]);
    });

    test("filter entries by kind, or by payment", async () => {
      const { paymentId } = await create(sandbox);
      await create(sandbox, { orderId: "order_2" });
      await send(sandbox, paymentsPath);
      await page.goto(`${service.url}/_sandbox`);
      await page.getByRole("link", { name: "Requests", exact: true }).click();
      expect(await page.locator(".entry .kind").allTextContents()).toEqual(
        Array(3).fill("Request"),
      );
      const current = page.locator('[aria-current="page"]');
      expect(await current.textContent()).toBe("Requests");
      await page.emulateMedia({ forcedColors: "active" });
      expect(await current.evaluate((it) => getComputedStyle(it).outlineStyle)).toBe("solid");
      await page.getByRole("link", { name: "Timeline of order order_1" }).click();
      await page.locator(".chip").waitFor();
      expect(page.url()).toBe(`${service.url}/_sandbox?about=${paymentId}`);
      expect(await page.locator(".entry .kind").allTextContents()).toEqual([
        "Webhook",
        "Change",
        "Request",
      ]);
      await withdraw(sandbox);
      await create(sandbox, { orderId: "order_3" });
      await page.getByText("order_3").first().waitFor();
      expect(await page.locator(".entry").count()).toBe(3);
      await page.getByRole("link", { name: /show all again/ }).click();
      await expect.poll(() => page.locator(".entry").count()).toBeGreaterThan(9);
    });

    test("show the sandbox's time as it passes", async () => {
      await service.close();
      // Its clock is not frozen.
      service = await createSandbox().listen({ port: 0 });
      await stopClock(page);
      // Never opens: a refresh would show the time at which it happened.
      await page.route("**/_sandbox/events", () => {});
      await page.goto(`${service.url}/_sandbox`);
      await page.clock.runFor(250);
      const seconds = async () =>
        Date.parse(`${await page.locator("#now").textContent()}Z`) / 1_000;
      const before = await seconds();
      await page.clock.runFor(5_000);
      expect((await seconds()) - before).toBe(5);
    });

    test("show what the clock triggered, and the evidence behind a response", async () => {
      await create(sandbox);
      await send(sandbox, `${paymentsPath}/unknown`);
      await page.goto(`${service.url}/_sandbox`);
      await button("+15 min on the clock").click();
      const clock = page.locator(".entry.clock");
      await clock.locator("summary").click();
      await clock.getByRole("link", { name: /quotes? expired/ }).waitFor();
      await clock.getByRole("link", { name: "change payment.updated" }).click();
      await page.locator(".change .details", { hasText: "expired" }).waitFor();
      const requests = page.locator(".request > details > summary");
      await requests.first().click();
      const details = page.locator(".request .details");
      await details.getByText("Read a payment.").waitFor();
      expect(await details.first().locator(".evidence").allTextContents()).toEqual([
        "documented",
        "assumed",
      ]);
      expect(await accessibilityViolations(page)).toEqual([]);
    });

    test("leave the browser's six connections to visible tabs", async () => {
      const { paymentId } = await create(sandbox);
      for (let tab = 0; tab < 7; tab++) {
        const other = await page.context().newPage();
        await Promise.all([
          other.waitForRequest("**/_sandbox/events"),
          other.goto(`${service.url}/${tab % 2 ? "_sandbox" : `payment/${paymentId}`}`),
        ]);
        await setHidden(other, true);
      }
      await page.goto(`${service.url}/_sandbox`);
      await page.locator(".change").waitFor();
      await setHidden(page, true);
      await sandbox.payments.simulate(paymentId, "success");
      await setHidden(page, false);
      await page.locator(`#payment-${paymentId} .badge`, { hasText: "completed" }).waitFor();
    });

    test("save everything to a file, and load it again", async () => {
      await create(sandbox, { orderId: "order_kept" });
      await page.goto(`${service.url}/_sandbox`);
      const downloading = page.waitForEvent("download");
      await button("Save to a file").click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^sandbox-[\d-]+\.json$/);
      const file = await download.path();
      expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
        format: "settlekit sandbox",
      });

      sandbox.reset();
      await page.getByText("Nothing has happened yet.").waitFor();
      page.on("dialog", (dialog) => void dialog.accept());
      const choosing = page.waitForEvent("filechooser");
      await button("Load from a file").click();
      await (await choosing).setFiles(file);
      await page.locator("#payments-title ~ ul bdi", { hasText: "order_kept" }).waitFor();
      expect(sandbox.payments.all()).toHaveLength(1);
    });

    test("offer the merchants of a loaded sandbox, and keep the chosen one", async () => {
      await page.goto(`${service.url}/_sandbox`);
      await page.getByText("Nothing has happened yet.").waitFor();
      sandbox.load(createSandbox({ merchants: [{}, {}, { name: "Third" }] }).save());
      await page.locator("#payments-title ~ details summary").click();
      const merchants = page.locator('form[data-post="payments"]').getByLabel("Merchant");
      await merchants.selectOption("Third");
      await create(sandbox);
      await page.locator(".change").waitFor();
      const chosen = await merchants.evaluate((it) => JSON.parse((it as HTMLSelectElement).value));
      expect(chosen).toBe(sandbox.merchants[2]?.merchantId);
      sandbox.load(createSandbox().save());
      await expect.poll(() => merchants.locator("option").count()).toBe(2);
    });

    test("name the status of a fault whose body is only text", async () => {
      await page.goto(`${service.url}/_sandbox`);
      sandbox.faults.next("POST /payments", { status: 502, when: "before", body: "Bad gateway" });
      await page.locator("#payments-title ~ details summary").click();
      await button("Create payment").click();
      await page.locator("#said", { hasText: "responded with 502" }).waitFor();
      expect(watched.troubles.splice(0)).toEqual([expect.stringContaining("status of 502")]);
    });

    test("refuse a file that no sandbox saved, and change nothing", async () => {
      await create(sandbox);
      await page.goto(`${service.url}/_sandbox`);
      page.on("dialog", (dialog) => void dialog.accept());
      const choosing = page.waitForEvent("filechooser");
      await button("Load from a file").click();
      const buffer = Buffer.from('{"__proto__":{"format":"settlekit sandbox"}}');
      await (await choosing).setFiles({ name: "a.json", mimeType: "application/json", buffer });
      await page.locator("#said", { hasText: "Nothing was changed" }).waitFor();
      expect(sandbox.payments.all()).toHaveLength(1);
      expect(watched.troubles.splice(0)).toEqual([expect.stringContaining("status of 422")]);
    });

    test("keep everything unless a reset or the loading of a file is confirmed", async () => {
      await create(sandbox);
      await page.goto(`${service.url}/_sandbox`);
      const questions: string[] = [];
      page.on("dialog", (dialog) => {
        questions.push(dialog.message());
        void dialog.dismiss();
      });
      await page.getByRole("button", { name: "Reset" }).click();
      const choosing = page.waitForEvent("filechooser");
      await button("Load from a file").click();
      const buffer = Buffer.from(JSON.stringify(createSandbox().save()));
      await (await choosing).setFiles({ name: "a.json", mimeType: "application/json", buffer });
      await expect.poll(() => questions).toHaveLength(2);
      // A later command takes effect after every earlier one.
      await button("+1 min on the clock").click();
      await page.locator(".entry.clock").waitFor();
      expect(sandbox.payments.all()).toHaveLength(1);
    });

    test("can be used with the keyboard alone", async () => {
      const { paymentId } = await create(sandbox);
      await page.goto(`${service.url}/_sandbox`);
      const focused = () =>
        page.evaluate(() => {
          const text = document.activeElement?.textContent ?? "";
          return text.replace(/\s+/g, " ").trim();
        });
      const tabTo = async (wanted: string) => {
        for (let presses = 0; presses < 60; presses++) {
          await page.keyboard.press("Tab");
          if ((await focused()).startsWith(wanted)) return;
        }
        throw new Error(`Tab does not lead to ${wanted}.`);
      };
      await tabTo("RequestPOST");
      await page.keyboard.press("Enter");
      await page.getByText("As a curl command").waitFor();
      await tabTo("Pay in full");
      await page.keyboard.press("Enter");
      await page.locator(`#payment-${paymentId} .badge`, { hasText: "completed" }).waitFor();
      // The button is gone, but the focus did not return to the top of the page.
      expect(await focused()).toBe("Refund order order_1");
    });
  });
}
