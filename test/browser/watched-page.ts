import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export interface WatchedPage {
  readonly page: Page;
  /** Console errors and warnings, and uncaught errors, of the page. */
  readonly troubles: string[];
}

/** Opens a new page, and records its errors. */
export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  // Without a graphics card, animations would take most of a page's time.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(message.text());
  });
  return { page, troubles };
}

/** The page's axe violations: each rule with the elements that break it. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    'axe.run({ resultTypes: ["violations"], preload: false })',
  )) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

/** Stops the page's clock. If only installed, it runs between the calls that advance it, for long on a busy machine. */
export async function stopClock(page: Page, time = Date.now()): Promise<void> {
  await page.clock.install({ time: time - 60_000 });
  await page.clock.pauseAt(time);
}

/** Hides a page, as if behind another tab, or shows it again. A headless browser never does by itself. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}

/** Words of the element that are broken into lines, except in addresses and hashes. */
export function brokenWords(page: Page): Promise<string[]> {
  return page.locator("settlekit-checkout").evaluate((element) => {
    const texts = document.createTreeWalker(element.shadowRoot ?? element, NodeFilter.SHOW_TEXT);
    const broken: string[] = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (text.parentElement?.closest("code, .visually-hidden")) continue;
      for (const { 0: word, index } of (text.textContent ?? "").matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1)
          broken.push(word);
      }
    }
    return broken;
  });
}
