import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromiumPath, launchChromium } from "../browser/chromium.ts";
import type { Host, Setting } from "./host.ts";
import type { Place, Results } from "./runtimes.ts";

declare global {
  /** Set by the page once it has loaded. */
  var run: (setting: object) => Promise<Results>;
}

/** Loads the package's own files in a page, through an import map instead of a bundler. */
export const runInChromium = {
  async version(): Promise<string | undefined> {
    if (chromiumPath === undefined) return undefined;
    await using browser = await launchChromium();
    return browser.version();
  },

  async run({ project }: Place, { origin, setting }: Host): Promise<Results> {
    await writeFile(join(project, "page.html"), await page(project));
    await using browser = await launchChromium();
    const tab = await browser.newPage();
    const complaints: string[] = [];
    tab.on("pageerror", (error) => complaints.push(String(error)));
    await tab.goto(`${origin}/page.html`, { waitUntil: "load" });
    const here: Setting & Record<string, unknown> = {
      ...setting,
      isBrowser: true,
      hasNodeCrypto: false,
      canListen: false,
    };
    if (complaints.length > 0) throw new Error(complaints.join("\n"));
    return await tab.evaluate((given) => globalThis.run(given), here);
  },
};

async function page(project: string): Promise<string> {
  const folder = "node_modules/settlekit";
  const manifest = JSON.parse(await readFile(join(project, folder, "package.json"), "utf8"));
  const imports: Record<string, string> = {};
  for (const [name, target] of Object.entries<{ default?: string }>(manifest.exports)) {
    if (target.default === undefined) continue;
    imports[`settlekit${name.slice(1)}`] = `/${folder}/${target.default}`;
  }
  return `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module" src="/page.mjs"></script>`;
}
