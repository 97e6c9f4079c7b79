import type { Browser, Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { create, paymentsPath, send, withdraw } from "../sandbox/merchant.ts";
import {
  accessibilityViolations,
  stopClock,
  type WatchedPage,
  watchedPage,
} from "./watched-page.ts";

export function inspectorCases(browser: () => Browser): void {
  describe("the inspector", () => {
    let sandbox: Sandbox;
    let service: SandboxServer;
    let watched: WatchedPage | undefined;
    let refusals: number;

    beforeEach(async () => {
      refusals = 0;
      sandbox = createSandbox({
        deliver: () => new Response(null, { status: refusals-- > 0 ? 503 : 200 }),
      });
      service = await sandbox.listen({ port: 0 });
    });

    afterEach(async () => {
      await watched?.page.context().close();
      await service.close();
      expect(watched?.troubles).toEqual([]);
    });

    async function opened(options = {}): Promise<Page> {
      watched = await watchedPage(browser(), options);
      await watched.page.goto(`${service.url}/_sandbox`);
      return watched.page;
    }

    test("shows what happens while it is open, newest first", async () => {
      const page = await opened();
      await page.getByText("Nothing has happened yet.").waitFor();
      await create(sandbox);
      await page.locator(".attempt").waitFor();
      const kinds = await page.locator(".entry .kind").allTextContents();
      expect(kinds).toEqual(["Attempt", "Webhook", "Change", "Request"]);
      await page.locator(".change bdi", { hasText: "order_1" }).waitFor();
    });

    test("shows entries while new ones keep arriving", async () => {
      const page = await opened();
      let isShown = false;
      const shown = page.locator(".entry").first().waitFor();
      void shown.then(() => {
        isShown = true;
      });
      while (!isShown) {
        await send(sandbox, "/elsewhere");
        await page.waitForTimeout(20);
      }
      await shown;
    });

    test("works at an address whose fragment names no entry", async () => {
      const page = await opened();
      await page.goto(`${service.url}/_sandbox#1 > a`);
      await page.reload();
      await create(sandbox);
      await page.locator(".attempt").waitFor();
    });

    test("links a request to the attempt to deliver its webhook", async () => {
      await create(sandbox);
      await sandbox.webhooks.idle();
      const page = await opened();
      await page.locator(".request > details > summary").click();
      await page.getByRole("link", { name: "change payment.created" }).click();
      await page.getByRole("link", { name: "webhook payment.created" }).click();
      await page.getByRole("link", { name: "attempt 1" }).click();
      await page.locator(".attempt .details", { hasText: "X-Service-Signature" }).waitFor();
    });

    test("keeps an entry open, and the focus, while other entries arrive", async () => {
      await create(sandbox);
      const page = await opened();
      await page.locator(".request > details > summary").click();
      await send(sandbox, "/elsewhere");
      await page.getByText("GET /elsewhere", { exact: true }).waitFor();
      const request = page.locator(".request", { hasText: "POST /payments" });
      expect(await request.locator("> details").getAttribute("open")).toBe("");
      expect(
        await request
          .locator("> details > summary")
          .evaluate((it) => it === document.activeElement),
      ).toBe(true);
    });

    test("updates an open entry when its effects arrive, and keeps its opened parts open", async () => {
      refusals = 1;
      await create(sandbox);
      await sandbox.webhooks.idle();
      const page = await opened();
      await page.locator(".webhook > details > summary").click();
      await page.locator(".attempt > details > summary").click();
      await page.locator(".attempt .headers summary").first().click();
      await sandbox.clock.advance("1m");
      await page.locator(".webhook").getByRole("link", { name: "attempt 2" }).waitFor();
      await page.locator(".webhook dd", { hasText: "delivered" }).waitFor();
      expect(await page.locator(".attempt .headers[open]").count()).toBe(1);
    });

    test("counts a repeated request, instead of listing it again", async () => {
      const page = await opened();
      for (let index = 0; index < 5; index++) await send(sandbox, paymentsPath);
      await page.getByText("× 5").waitFor();
      expect(await page.locator(".entry").count()).toBe(1);
    });

    test("simulates customers, and the service's work on withdrawals", async () => {
      const { paymentId } = await create(sandbox);
      const { id } = await withdraw(sandbox, { orderId: "payout_1" });
      const page = await opened();
      await page.getByRole("button", { name: "Pay too much order order_1" }).click();
      await page.locator(`#payment-${paymentId} .badge`, { hasText: "completed" }).waitFor();
      // The page may show the effect before the command's response has arrived.
      const done = () => page.locator("#done").textContent();
      await expect.poll(done).toBe("Pay too much order order_1: done");
      await page.getByRole("button", { name: "Process withdrawal payout_1" }).click();
      await page.getByRole("button", { name: "Complete withdrawal payout_1" }).click();
      await page.locator(`#withdrawal-${id} .badge`, { hasText: "completed" }).waitFor();
      expect(sandbox.withdrawals.all()[0]?.status).toBe("completed");
      const left = await page.getByRole("button", { name: /payout_1|order_1/ }).allTextContents();
      expect(left.map((text) => text.trim())).toEqual([
        "Refund order order_1",
        "Partial refund order order_1",
      ]);
    });

    test("advances the clock, which retries a refused webhook, and resends one at once", async () => {
      refusals = 1;
      await create(sandbox);
      const page = await opened();
      await page.locator(".webhook .badge", { hasText: "pending" }).waitFor();
      await page.getByRole("button", { name: "+1 min on the clock" }).click();
      await page.locator(".attempt", { hasText: "attempt 2" }).waitFor();
      await page.locator(".webhook .badge", { hasText: "delivered" }).waitFor();
      await page.locator(".webhook > details > summary").click();
      await page.getByRole("button", { name: "Send again" }).click();
      await expect.poll(() => page.locator(".webhook").count()).toBe(2);
      expect(sandbox.webhooks.deliveries().map(({ status }) => status)).toEqual([
        "delivered",
        "delivered",
      ]);
    });

    test("adds faults, shows pending ones, and clears them", async () => {
      const page = await opened();
      await page.getByText("Add a fault").click();
      await page
        .getByRole("combobox", { name: "Request" })
        .selectOption({ label: "GET /payments" });
      await page
        .getByRole("combobox", { name: "Fault" })
        .selectOption({ label: "429, before any effect, Retry-After: 2" });
      await page.getByRole("combobox", { name: "How often" }).selectOption({ label: "always" });
      await page.getByRole("button", { name: "Add fault" }).click();
      const pending = page.locator("#fault-0", { hasText: "429, before any effect" });
      await pending.waitFor();
      const refused = await send(sandbox, paymentsPath);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
      await page.getByRole("button", { name: "Clear all faults" }).click();
      await pending.waitFor({ state: "detached" });
      await page.locator(".entry.fault", { hasText: "429, before any effect" }).waitFor();
      expect((await send(sandbox, paymentsPath)).status).toBe(200);
    });

    test("shows the rate limit among the faults, and clears it with them", async () => {
      sandbox.faults.rateLimit({ requestsPerSecond: 7, retryAfterSeconds: 3 });
      const page = await opened();
      const card = page.getByText("429 above 7 requests per second, Retry-After: 3");
      await card.waitFor();
      await page.getByText("Add a fault").click();
      await page.getByRole("button", { name: "Clear all faults" }).click();
      await card.waitFor({ state: "detached" });
      expect(sandbox.faults.limit()).toBeNull();
    });

    test("resets the sandbox after a confirmation", async () => {
      await create(sandbox);
      const page = await opened();
      page.once("dialog", (dialog) => void dialog.accept());
      await page.getByRole("button", { name: "Reset" }).click();
      await page.getByText("Nothing has happened yet.").waitFor();
      expect(sandbox.payments.all()).toEqual([]);
    });

    test("has no axe violations before anything happened, nor on an entry's own page", async () => {
      const page = await opened();
      await page.getByText("Nothing has happened yet.").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await create(sandbox);
      await page.goto(`${service.url}/_sandbox/entries/1`);
      await page.getByText("As a curl command").waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      const left = (element: Element) => element.getBoundingClientRect().left;
      const details = await page.locator("dl").first().evaluate(left);
      expect(details).toBe(await page.getByRole("heading", { level: 2 }).evaluate(left));
    });

    test("can be read without JavaScript", async () => {
      await create(sandbox);
      await sandbox.webhooks.idle();
      const page = await opened({ javaScriptEnabled: false });
      await page.getByRole("link", { name: "Webhooks", exact: true }).click();
      await page.locator(".attempt > details > summary").click();
      await page.locator(".attempt").getByRole("link", { name: "Details" }).click();
      await page.getByRole("heading", { name: "attempt 1" }).waitFor();
      await page.getByText("X-Service-Signature").first().waitFor({ state: "attached" });
    });

    test("shows that the sandbox was stopped, and continues when it is back", async () => {
      const page = await opened();
      const { port } = service;
      await service.close();
      await page.locator("#said", { hasText: "It may have been stopped." }).waitFor();
      service = await sandbox.listen({ port });
      await create(sandbox);
      await page.locator(".change").waitFor();
      await expect.poll(() => page.locator("#said").textContent()).toBe("");
      // The browser itself logs each failed connection.
      const noted = watched?.troubles.splice(0) ?? [];
      expect(noted.filter((text) => !text.includes("net::ERR_"))).toEqual([]);
    });

    test("shows why an action was refused", async () => {
      const { paymentId } = await create(sandbox);
      const page = await opened();
      // The page does not learn that the payment is final.
      await page.route("**/_sandbox", () => {});
      await sandbox.payments.simulate(paymentId, "success");
      await page.getByRole("button", { name: "Let it expire order order_1" }).click();
      await page.getByText("The payment is completed, but must be pending").waitFor();
      // The browser itself logs each error response.
      expect(watched?.troubles.splice(0)).toEqual([expect.stringContaining("status of 422")]);
    });

    test("copies a request as curl, with a variable in place of the key", async () => {
      const page = await opened({ permissions: ["clipboard-read", "clipboard-write"] });
      await create(sandbox, { orderId: "it's" });
      await page.locator(".request > details > summary").click();
      const copy = page.getByRole("button", { name: "Copy as curl" });
      await copy.waitFor();
      // "Copied" is shown for two seconds.
      await stopClock(page);
      await copy.click();
      await page.getByText("Copied").waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain('-H "x-service-secret-key: $SETTLEKIT_SECRET_KEY"');
      expect(copied).not.toContain(sandbox.secretKey);
    });

    test("runs no script that came from a request", async () => {
      const hostile = `"><script>document.title="pwned"</script><img src=x onerror="document.title='pwned'">`;
      const page = await opened();
      await create(sandbox, { orderId: hostile }, { "X-Trace": hostile });
      await withdraw(sandbox, { orderId: hostile, customMetadata: JSON.stringify(hostile) });
      await send(sandbox, `/<script>alert(1)</script>?q="><img>`, { body: hostile });
      await page.locator(".change").getByText(hostile).first().waitFor();
      await page.locator(".request").nth(2).waitFor();
      for (const entry of await page.locator(".entry > details > summary").all())
        await entry.click();
      await page.reload();
      await page.locator(".change").getByText(hostile).first().waitFor();
      expect(await page.title()).toBe("settlekit sandbox");
      expect(await page.locator("img").count()).toBe(0);
      expect(await page.locator("script").count()).toBe(1);
    });

    test.each([
      ["light", 1200],
      ["dark", 1200],
      ["light", 320],
    ] as const)("has no axe violations, and fits: %s, %d pixels", async (colorScheme, width) => {
      refusals = 1;
      await create(sandbox);
      await withdraw(sandbox, { orderId: "payout_1" });
      sandbox.faults.next("*", { status: 503, when: "before" });
      await sandbox.webhooks.idle();
      const page = await opened({ colorScheme, viewport: { width, height: 800 } });
      // Opens everything, and waits until all details are fetched.
      await page.evaluate(() => {
        for (const it of document.querySelectorAll("details")) it.open = true;
      });
      await expect.poll(() => page.locator(".details > a").count()).toBe(0);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    });
  });
}
