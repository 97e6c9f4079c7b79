import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Page } from "playwright-core";

const guide = resolve(import.meta.dirname, "../../docs/checkout-theming.md");

/** The brands in the theming guide. */
export const brands = ["market", "studio", "game"] as const;

/** Applies the guide's style for a brand to the element on a page. */
export async function wear(page: Page, brand: (typeof brands)[number]): Promise<void> {
  const text = await readFile(guide, "utf8");
  const rules = [...text.matchAll(/^```css\n(.*?)^```/gms)].map(([, css = ""]) => css);
  const css = rules.find((it) => it.includes(`.${brand} `));
  if (css === undefined) throw new Error(`The guide has no style for ${brand}.`);
  await page.evaluate(
    ([name = "", style = ""]) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets = [sheet];
      document.body.className = name;
      const theme = name === "game" ? "dark" : "light";
      document.querySelector("settlekit-checkout")?.setAttribute("theme", theme);
    },
    [brand, css],
  );
}

/** The names in the guide's table of parts. */
export async function partsInGuide(): Promise<string[]> {
  const text = await readFile(guide, "utf8");
  const rows = [...text.matchAll(/^\| ((?:`[a-z][a-z-]*`(?:, )?)+) \|/gm)];
  return rows.flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([a-z-]+)`/g)].map(([, it = ""]) => it),
  );
}
