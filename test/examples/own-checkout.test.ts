import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { chromiumPath, launchChromium } from "../browser/chromium.ts";
import { accessibilityViolations, stopClock, watchedPage } from "../browser/watched-page.ts";
import { freePort } from "../free-port.ts";
import { Example } from "./example.ts";
import type { Run } from "./run.ts";
import { scratchFolder } from "./scratch-folder.ts";

const example = new Example("own-checkout");
const isMissing =
  example.missing("express", "esbuild") ?? (chromiumPath === undefined ? "Chromium" : undefined);
const source = resolve(import.meta.dirname, "../../src/checkout/element/index.ts");

describe.skipIf(isMissing)(example.name, () => {
  let scratch: Awaited<ReturnType<typeof scratchFolder>>;
  let sandbox: Sandbox;
  let service: SandboxServer;
  let run: Run;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    scratch = await scratchFolder();
    const alias = example.isInstalled ? "" : `--alias:settlekit/checkout/element=${source}`;
    const build = await example.run("build", {}, alias);
    expect([await build.ended(), build.output]).toEqual([0, expect.anything()]);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    sandbox = createSandbox({ webhookUrl: `${url}/webhooks` });
    service = await sandbox.listen({ port: 0 });
    run = await example.run("start", {
      SETTLEKIT_ENVIRONMENT: "sandbox",
      SETTLEKIT_SANDBOX_URL: service.url,
      SETTLEKIT_SECRET_KEY: sandbox.secretKey,
      SETTLEKIT_WEBHOOK_SECRET: sandbox.webhookSecret,
      PORT: String(port),
      DATABASE_FILE: join(scratch.path, "shop.sqlite"),
    });
    [browser] = await Promise.all([launchChromium(), run.answers(`${url}/health`)]);
  });

  afterAll(async () => {
    await browser?.close();
    await run?.stop("SIGKILL");
    await service?.close();
    await scratch?.[Symbol.asyncDispose]();
  });

  /** A customer who buys a mug, in a browser of their own. */
  async function customer(use: (page: Page) => Promise<void>) {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page, troubles } = await watchedPage(browser, { permissions });
    await stopClock(page);
    await page.goto(url);
    await page.getByRole("button", { name: "Buy: Mug, $25.00" }).click();
    await page.getByText("Waiting for your payment").waitFor();
    // The quote has loaded as well.
    await page.locator('[part="qr"] svg').waitFor();
    await use(page);
    await page.context().close();
    expect(troubles).toEqual([]);
  }

  /** Lets time pass in the page until it shows a text. */
  const comes = (page: Page, text: string) =>
    expect
      .poll(async () => {
        await page.clock.runFor(1_000);
        return page.locator('[part="outcome"]', { hasText: text }).isVisible();
      })
      .toBe(true);

  const newest = () => sandbox.payments.all().at(-1);
  const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

  it("shows what to send, and notices when it is paid", async () => {
    await customer(async (page) => {
      await page.getByRole("button", { name: "Copy the amount" }).click();
      await expect.poll(() => copied(page)).toBe("25");
      await page.getByText("Copied").first().waitFor();
      await page.getByRole("button", { name: "Copy the address" }).click();
      await expect.poll(() => copied(page)).toBe(newest()?.depositAddress?.address);
      expect(await page.locator('[part="qr"] svg').isVisible()).toBe(true);
      expect(await page.getByRole("timer").textContent()).toMatch(/^(10:00|9:5\d)$/);
      // axe needs timers.
      await page.clock.resume();
      expect(await accessibilityViolations(page)).toEqual([]);
      await sandbox.payments.simulate(newest()?.id ?? "", "success");
      await comes(page, "$25.00 arrived. Thank you.");
      await sandbox.webhooks.idle();
      await page.reload();
      await page.getByText("Mug: paid").waitFor();
    });
  });

  it("shows another amount when another token is chosen", async () => {
    await customer(async (page) => {
      await page.getByText("ETH", { exact: true }).click();
      await page.getByText(/^0\.\d+ ETH$/).waitFor();
    });
  });

  it("gets a new quote when one expires, whatever the customer's clock says", async () => {
    await customer(async (page) => {
      expect(await page.getByRole("timer").textContent()).toMatch(/^(10:00|9:5\d)$/);
      await sandbox.clock.advance("10m");
      const active = () => newest()?.quotes.filter(({ status }) => status === "active");
      expect(active()).toEqual([]);
      // The page learns the service's time from the answers to its status polls.
      await expect.poll(() => page.clock.runFor(2_000).then(() => active()?.length)).toBe(1);
      await expect.poll(() => page.getByRole("timer").textContent()).toMatch(/^(10:00|9:\d\d)$/);
    });
  });

  it("says when the payment has expired, and stops asking for money", async () => {
    await customer(async (page) => {
      await sandbox.payments.simulate(newest()?.id ?? "", "timeout");
      await comes(page, "Nothing arrived in time.");
      expect(await page.getByText("Send exactly").isVisible()).toBe(false);
    });
  });

  it.each([
    ["the network is lost", undefined],
    ["a proxy responds instead of the shop", { status: 502, body: "<h1>Bad Gateway</h1>" }],
  ])("asks the customer to try again if %s", async (_, answer) => {
    const page = await browser.newPage();
    await page.route("**/payment", (route) => (answer ? route.fulfill(answer) : route.abort()));
    await page.goto(url);
    await page.getByRole("button", { name: "Buy: Mug, $25.00" }).click();
    await page.getByText("Please try again.").waitFor();
    await page.context().close();
  });

  it("gives the page the payment's secret and no key", async () => {
    const answer = await fetch(`${url}/orders`, {
      method: "POST",
      body: new URLSearchParams({ sku: "shirt" }),
      redirect: "manual",
    });
    const opened = await fetch(`${url}${answer.headers.get("location")}/payment`, {
      method: "POST",
    });
    const text = await opened.text();
    expect(JSON.parse(text)).toMatchObject({
      baseUrl: service.url,
      payment: { paymentId: newest()?.id, secret: expect.any(String) },
    });
    expect(text).not.toContain(sandbox.secretKey);
    const read = async (name: string) => (await fetch(`${url}/${name}`)).text();
    const script = await read("checkout.js");
    const imported = Array.from(script.matchAll(/"\.\/([\w-]+\.js)"/g), ([, name = ""]) =>
      read(name),
    );
    const scripts = [script, ...(await Promise.all(imported))].join("");
    expect(scripts.includes("payment-secret-auth")).toBe(true);
    expect(scripts.includes(sandbox.secretKey)).toBe(false);
  });
});
