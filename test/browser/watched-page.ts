import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export interface WatchedPage {
  readonly page: Page;
  /** What the page printed to the console as an error, or threw. */
  readonly troubles: string[];
}

/** A new page that is watched for whatever goes wrong in it. */
export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  // Drawing animations without a graphics card is most of what a page costs here.
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  // Far below the limit of a test, so that one that hangs names the step where it hangs.
  page.setDefaultTimeout(30_000);
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(message.text());
  });
  return { page, troubles };
}

/** What axe finds wrong with a page as it stands: each rule with the elements that break it. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    'axe.run({ resultTypes: ["violations"], preload: false })',
  )) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

/** Hides a page, as behind another tab, or shows it again. Without a screen, a browser never does. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);
}
