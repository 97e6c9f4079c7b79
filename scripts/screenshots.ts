// Takes the pictures in docs/images: the sandbox's pages, from a seed and at a frozen time. `npm run screenshots`

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { createSandbox } from "../src/sandbox/index.ts";
import { Webhooks } from "../src/webhooks/index.ts";
import { brands, wear } from "../test/browser/brands.ts";
import { chromiumPath, launchChromium } from "../test/browser/chromium.ts";
import { type Look, showStates } from "./checkout-states.ts";

const folder = resolve(import.meta.dirname, "../docs/images");
const wide = { viewport: { width: 1160, height: 780 } };

let refusals = 1;
const sandbox = createSandbox({
  seed: "screenshots",
  now: new Date("2026-03-02T09:00:00Z"),
  // The shop fails one webhook, to show the retry, and refuses forged ones.
  deliver: (request) => (refusals-- > 0 ? new Response(null, { status: 503 }) : verify(request)),
});
const webhooks = new Webhooks({
  secret: sandbox.webhookSecret,
  now: sandbox.clock.now,
});
const verify = webhooks.fetchHandler();
await using server = await sandbox.listen({ port: 0 });

async function created(kind: "payments" | "withdrawals", body: object) {
  const response = await fetch(`${server.url}/v1/external/secretkey-auth/${kind}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Service-Secret-Key": sandbox.secretKey },
    body: JSON.stringify({ currency: "USD", ...body }),
  });
  const {
    id = "",
    paymentId = id,
    secret = "",
  } = (await response.json()) as Record<string, string>;
  await sandbox.webhooks.idle();
  return { paymentId, secret };
}

async function create(kind: "payments" | "withdrawals", body: object): Promise<string> {
  return (await created(kind, body)).paymentId;
}

await create("withdrawals", {
  amountInCents: 12_500,
  chainId: 84_532,
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  orderId: "payout_7",
});
const paid = await create("payments", { amount: 4_999, orderId: "order_1041" });
await sandbox.payments.simulate(paid, "success");
await sandbox.clock.advance("20s");
const confirming = await create("payments", { amount: 990, orderId: "order_1042" });
await sandbox.payments.simulate(confirming, "success", { steps: "by-hand" });
await sandbox.payments.step(confirming);
sandbox.webhooks.disorder("duplicate");
await sandbox.payments.step(confirming);
await sandbox.clock.advance("20s");
sandbox.webhooks.clearDisorders();
sandbox.webhooks.disorder("tamper");
const open = await create("payments", {
  amount: 2_500,
  orderId: "order_1043",
  redirectUrl: "https://shop.example/thanks",
});
sandbox.faults.next("POST /withdrawals", { status: 503, when: "after" });

async function shoot(
  browser: Browser,
  name: string,
  settings: BrowserContextOptions,
  show: (page: Page) => Promise<void>,
  /** The element to show, and its size in the picture; default the whole page. */
  target?: string,
  scale = 1,
): Promise<void> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...settings });
  const page = await context.newPage();
  // Freeze time, or the countdown would differ from run to run.
  await page.clock.install({ time: sandbox.clock.now() });
  await page.clock.pauseAt(sandbox.clock.now());
  await show(page);
  // WebP, which playwright itself does not write: the images are in the package, so they have to be small.
  const devtools = await context.newCDPSession(page);
  const clip = target && { ...(await boxOf(page, target)), scale };
  const options = { format: "webp", quality: 50 } as const;
  const beyond = clip && { clip, captureBeyondViewport: true };
  const shot = await devtools.send("Page.captureScreenshot", { ...options, ...beyond });
  await writeFile(resolve(folder, `${name}.webp`), shot.data, "base64");
  await context.close();
}

async function paymentPage(page: Page): Promise<void> {
  await page.goto(`${server.url}/payment/${open}`);
  await page.getByText("25 USDC").waitFor();
  await page.locator('[part="qr"] svg').waitFor();
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not on the page.`);
  return box;
}

async function inspector(page: Page): Promise<void> {
  await page.goto(`${server.url}/_sandbox`);
  await page.locator(".webhook > details > summary").first().click();
  await page.getByRole("button", { name: "Send again", exact: true }).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
}

/** Uses the fonts that come with the browser, so that pictures do not depend on the machine. */
async function loadBundledFonts(path: string): Promise<() => Promise<void>> {
  const temporary = await mkdtemp(join(tmpdir(), "settlekit-fonts-"));
  const prefer = (family: string, font: string) =>
    `<match><test name="family"><string>${family}</string></test>` +
    `<edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit></match>`;
  const file = join(temporary, "fonts.conf");
  await writeFile(
    file,
    `<?xml version="1.0"?><fontconfig><dir>${join(dirname(path), "fonts")}</dir>` +
      `<dir>/usr/share/fonts</dir><cachedir>${temporary}</cachedir>` +
      `${["system-ui", "sans-serif"].map((family) => prefer(family, "Open Sans")).join("")}` +
      `${prefer("monospace", "DejaVu Sans Mono")}</fontconfig>`,
  );
  process.env.FONTCONFIG_FILE = file;
  return () => rm(temporary, { recursive: true });
}

const removeFonts = await loadBundledFonts(chromiumPath ?? "");
const browser = await launchChromium();
try {
  // First, because the payment page's own requests would show in it.
  await shoot(browser, "inspector", wide, inspector);
  await shoot(browser, "payment", wide, paymentPage);
  for (const brand of brands) {
    const show = async (page: Page) => {
      await paymentPage(page);
      await wear(page, brand);
    };
    await shoot(browser, brand, wide, show, "settlekit-checkout");
  }
  const create = () => created("payments", { amount: 2_500, orderId: "order_1044" });
  const looks: Readonly<Record<string, Look>> = {
    states: { theme: "light", lang: "en", width: 380, columns: 3 },
    dark: { theme: "dark", lang: "en", width: 380, columns: 3 },
    phone: { theme: "light", lang: "ar", width: 320, columns: 4 },
  };
  for (const [name, look] of Object.entries(looks)) {
    const show = (page: Page) => showStates(page, { sandbox, url: server.url, create }, look);
    await shoot(browser, name, wide, show, "#states", name === "states" ? 0.8 : 0.5);
  }
} finally {
  await browser.close();
  await removeFonts();
}
