/**
 * The time from the arrival of the checkout element's script to its first paint, compared with an empty element.
 *
 * Run with `npm run build && node bench/first-paint.ts`.
 */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { createSandbox } from "../src/sandbox/index.ts";
import { chromiumPath, launchChromium } from "../test/browser/chromium.ts";
import { ratioOf, spreadOf } from "./measure.ts";
import { printTable, type Row, timeText } from "./table.ts";

const visits = 11;
const limitMs = 100;

const emptyElement = `customElements.define("settlekit-checkout", class extends HTMLElement {
  connectedCallback() { this.attachShadow({ mode: "open" }).append("$25.00"); }
});`;

export async function firstPaintRows(): Promise<Row[]> {
  if (chromiumPath === undefined) return [];
  const sandbox = createSandbox({ deliver: async () => new Response() });
  await using service = await sandbox.listen({ port: 0 });
  const response = await fetch(`${service.url}/v1/external/secretkey-auth/payments`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Service-Secret-Key": sandbox.secretKey },
    body: JSON.stringify({ amount: 2500, currency: "USD", orderId: "order_1" }),
  });
  const { paymentId, secret } = (await response.json()) as Record<string, string>;
  const script = await readFile(new URL("../dist/checkout/element.global.js", import.meta.url));
  const server = createServer(({ url = "/" }, answer) => {
    const code = { "/whole.js": script, "/empty.js": emptyElement }[url];
    answer.setHeader("Content-Type", code ? "text/javascript" : "text/html; charset=utf-8");
    answer.end(
      code ??
        `<!doctype html><link rel="icon" href="data:,"><title>Shop</title><script src="${url}.js" defer></script>
<settlekit-checkout payment-id="${paymentId}" secret="${secret}" base-url="${service.url}"></settlekit-checkout>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const whole: number[] = [];
    const empty: number[] = [];
    // In turns, so that other load affects both alike.
    for (let visit = 0; visit < visits; visit++) {
      whole.push(await paintMs(page, `${shop}/whole`));
      empty.push(await paintMs(page, `${shop}/empty`));
    }
    const [ours, theirs] = [spreadOf(whole).median, spreadOf(empty).median];
    return [
      {
        what: "first paint of the checkout element after its script",
        ours: timeText(ours * 1_000),
        peer: `an empty element ${timeText(theirs * 1_000)}`,
        ratio: ratioOf({ whole, empty }, "whole", "empty"),
        // No gate: a busy machine takes longer for the empty element, too.
        aim: { text: `below ${limitMs} ms`, isMet: ours < limitMs },
      },
    ];
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

/** Milliseconds from the end of the script's response to the first paint of content. */
async function paintMs(page: Page, url: string): Promise<number> {
  await page.goto(url);
  await page.waitForFunction(
    () => performance.getEntriesByName("first-contentful-paint").length > 0,
  );
  return page.evaluate(() => {
    const scripts = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    const script = scripts.find(({ initiatorType }) => initiatorType === "script");
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    return (paint?.startTime ?? Number.NaN) - (script?.responseEnd ?? Number.NaN);
  });
}

if (import.meta.main) printTable(await firstPaintRows());
