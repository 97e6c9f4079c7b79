// Makes the images of docs/images: the sandbox's pages, from a seed and at a frozen time. `npm run screenshots`

import { resolve } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { createSandbox } from "../src/sandbox/index.ts";
import { launchChromium } from "../test/browser/chromium.ts";

const folder = resolve(import.meta.dirname, "../docs/images");
const wide = { viewport: { width: 1120, height: 940 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };

let refusals = 1;
const sandbox = createSandbox({
  seed: "screenshots",
  now: new Date("2026-03-02T09:00:00Z"),
  // The shop is down for one webhook, to show what the sandbox does then.
  deliver: () => new Response(null, { status: refusals-- > 0 ? 503 : 200 }),
});
await using server = await sandbox.listen({ port: 0 });

async function create(kind: "payments" | "withdrawals", body: object): Promise<string> {
  const response = await fetch(`${server.url}/v1/external/secretkey-auth/${kind}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Service-Secret-Key": sandbox.secretKey },
    body: JSON.stringify({ currency: "USD", ...body }),
  });
  const { id, paymentId = id } = (await response.json()) as Record<string, string>;
  await sandbox.webhooks.idle();
  await sandbox.clock.advance("20s");
  return paymentId ?? "";
}

const paid = await create("payments", { amount: 4_999, orderId: "order_1041" });
await create("withdrawals", {
  amountInCents: 12_500,
  chainId: 84_532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  orderId: "payout_7",
});
await sandbox.payments.simulate(paid, "success");
await sandbox.webhooks.idle();
const open = await create("payments", {
  amount: 2_500,
  orderId: "order_1042",
  redirectUrl: "https://shop.example/thanks",
});
sandbox.faults.next("POST /withdrawals", { status: 503, when: "after" });

async function shoot(
  browser: Browser,
  name: string,
  options: BrowserContextOptions,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  // The page's own clock stands still as well, or the countdown would differ.
  await page.clock.setFixedTime(sandbox.clock.now());
  await show(page);
  await page.screenshot({ path: resolve(folder, `${name}.png`) });
  await context.close();
}

async function paymentPage(page: Page): Promise<void> {
  await page.goto(`${server.url}/payment/${open}`);
  await page.getByText("25 USDC").waitFor();
}

async function inspector(page: Page): Promise<void> {
  await page.goto(`${server.url}/_sandbox`);
  await page.locator(".webhook summary").first().click();
  await page.getByRole("button", { name: "Send again" }).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
}

const browser = await launchChromium();
try {
  // First, because the payment page's own requests would show in it.
  await shoot(browser, "inspector-light", wide, inspector);
  await shoot(browser, "inspector-dark", { ...wide, colorScheme: "dark" }, inspector);
  await shoot(browser, "inspector-phone", phone, inspector);
  await shoot(browser, "payment-light", wide, paymentPage);
  await shoot(browser, "payment-dark", { ...wide, colorScheme: "dark" }, paymentPage);
  await shoot(browser, "payment-phone", phone, paymentPage);
} finally {
  await browser.close();
}
