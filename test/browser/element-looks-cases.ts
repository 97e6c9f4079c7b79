import type { Browser, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { announceWallet } from "./announce-wallet.ts";
import { brands, partsInGuide, wear } from "./brands.ts";
import { bundleForBrowser } from "./bundle.ts";
import { elementShop } from "./element-shop.ts";
import { accessibilityViolations, brokenWords } from "./watched-page.ts";

/** The visually different states of a payment, and the element's phase in each. */
const states = {
  pay: "pay",
  deposit: "deposit",
  confirming: "confirming",
  paid: "over",
  overpaid: "over",
  failed: "over",
  expired: "over",
  unknown: "problem",
} as const;

const media = {
  light: { colorScheme: "light", forcedColors: "none" },
  dark: { colorScheme: "dark", forcedColors: "none" },
  "forced colours": { colorScheme: "light", forcedColors: "active" },
} as const;

const languages = ["en", "de", "fr", "es", "pt", "it", "ja", "zh-Hans", "ar"] as const;

/** Widths in CSS pixels: a desktop's, the same one at a zoom of 200 %, and that of the smallest phone. */
const widths = [1280, 640, 320] as const;

interface Look {
  readonly medium: keyof typeof media;
  readonly language: string;
  readonly width: number;
}

const looks: readonly Look[] = languages.flatMap((language) =>
  (Object.keys(media) as Look["medium"][]).flatMap((medium) =>
    widths.map((width) => ({ medium, language, width })),
  ),
);

export function elementLooksCases(browser: () => Browser): void {
  describe("the look of the checkout element", () => {
    const shop = elementShop(browser);

    /** Opens an order's page in a state. */
    async function visitIn(state: keyof typeof states): Promise<void> {
      const { payments } = shop.sandbox;
      const order = await shop.order(state === "deposit" ? { type: "deposit" } : {});
      const scenarios = {
        paid: "success",
        overpaid: "overpayment",
        failed: "underpayment",
        expired: "timeout",
      } as const;
      if (state in scenarios) {
        await payments.simulate(order.paymentId, scenarios[state as keyof typeof scenarios]);
      } else if (state === "confirming") {
        await payments.simulate(order.paymentId, "success", { steps: "by-hand" });
        await payments.step(order.paymentId);
      }
      await shop.visit(state === "unknown" ? { ...order, paymentId: "unknown" } : order);
      await shop.shows(states[state]);
    }

    /** Applies a look to the open page. */
    async function take({ medium, language, width }: Look, state: keyof typeof states) {
      const { page } = shop;
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia(media[medium]);
      await shop.element.evaluate((it, tag) => it.setAttribute("lang", tag), language);
      await page.locator(`[part="card"][lang="${language}"]`).waitFor();
      if (state === "pay") await page.locator('[part="qr"] svg').waitFor();
    }

    test.each(Object.keys(states) as (keyof typeof states)[])(
      "has no axe violations, fits, and has large enough targets: %s",
      async (state) => {
        await visitIn(state);
        const { page } = shop;
        for (const look of looks) {
          const name = Object.values(look).join(", ");
          await take(look, state);
          expect(await accessibilityViolations(page), name).toEqual([]);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          expect(width, name).toBe(look.width);
          expect(await cutOffTexts(page), name).toEqual([]);
          expect(await smallTargets(page), name).toEqual([]);
          expect(await liveRegions(page), name).toEqual(["status"]);
        }
      },
    );

    test("inherits no styles from the page, and lets an address be selected", async () => {
      await visitIn("pay");
      const { page } = shop;
      await page.locator('[part="qr"] svg').waitFor();
      const look = () =>
        shop.element.evaluate((it) => {
          const parts =
            it.shadowRoot?.querySelectorAll("code, dt, h1, .status, .monogram, .segments *") ?? [];
          return [...parts].map((part) => {
            const style = getComputedStyle(part);
            return [
              part.outerHTML,
              ...[...style].map((it) => `${it}: ${style.getPropertyValue(it)}`),
            ];
          });
        });
      const before = await look();
      await page.evaluate(() => {
        document.body.style.cssText = `text-transform: uppercase; text-indent: 2em; letter-spacing: 0.2em;
          word-spacing: 1em; white-space: nowrap; word-break: break-all; text-align: center; font-style: italic;
          font-variant: small-caps; line-height: 3; user-select: none; list-style: square; hyphens: none;`;
      });
      expect(await look()).toEqual(before);
      const address = page.locator('[part="address"]');
      await address.selectText();
      const selected = await page.evaluate(() => String(getSelection()));
      expect(selected).toBe(await address.textContent());
    });

    test.each([
      ["on a page with another root font size", "html { font-size: 62.5% }", 1280, "16px"],
      ["with text of twice the size", "::part(card) { font-size: 200% }", 320, "32px"],
    ])("keeps its proportions and words whole %s", async (_, css, width, fontSize) => {
      const page = await shop.watch({ viewport: { width, height: 800 } });
      await page.addInitScript(announceWallet);
      const visitStyled = async (state: keyof typeof states) => {
        await visitIn(state);
        await page.evaluate((text) => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(text);
          document.adoptedStyleSheets = [sheet];
        }, css);
      };
      await visitStyled("pay");
      await page.getByRole("button", { name: "Anvil Wallet" }).waitFor();
      const qr = page.locator('[part="qr"] svg');
      await qr.waitFor();
      const status = page.getByRole("status");
      expect(await status.evaluate((it) => getComputedStyle(it).fontSize)).toBe(fontSize);
      expect(await smallTargets(page)).toEqual([]);
      expect(await cutOffTexts(page)).toEqual([]);
      expect(await brokenWords(page)).toEqual([]);
      const [code, card] = [await qr.boundingBox(), await shop.element.boundingBox()];
      expect(code?.width).toBe(code?.height);
      expect((code?.x ?? 0) + (code?.width ?? 0)).toBeLessThan(card?.width ?? 0);
      await visitStyled("deposit");
      expect(await brokenWords(page)).toEqual([]);
      const input = page.getByRole("textbox");
      expect(await input.evaluate((it) => it.clientWidth >= it.scrollWidth)).toBe(true);
    });

    test("breaks an address into lines of about the same length", async () => {
      const page = await shop.watch({ viewport: { width: 320, height: 800 } });
      await visitIn("pay");
      await page.getByText("25 USDC").waitFor();
      const widths = await page.locator('[part="address"]').evaluate((it) => {
        const range = document.createRange();
        range.selectNodeContents(it);
        return [...range.getClientRects()].map(({ width }) => width);
      });
      expect(widths.length).toBeGreaterThan(1);
      expect(Math.min(...widths) / Math.max(...widths)).toBeGreaterThan(0.8);
    });

    test("does not animate for customers who prefer reduced motion", async () => {
      const moving = () =>
        shop.element.evaluate((it) => it.shadowRoot?.getAnimations().length ?? 0);
      const page = await shop.watch({ reducedMotion: "no-preference" });
      await visitIn("confirming");
      // Without the preference, something moves, so the check below is meaningful.
      await expect.poll(moving).toBeGreaterThan(0);
      await page.emulateMedia({ reducedMotion: "reduce" });
      expect(await moving()).toBe(0);
      const durations = await shop.element.evaluate((it) =>
        [...(it.shadowRoot?.querySelectorAll("*") ?? [])]
          .flatMap((part) =>
            [undefined, "::before", "::after"].map((pseudo) => getComputedStyle(part, pseudo)),
          )
          .filter(
            (style) =>
              style.animationName !== "none" || !/^0s(, 0s)*$/.test(style.transitionDuration),
          )
          .map((style) => style.cssText),
      );
      expect(durations).toEqual([]);
    });

    test("shows the choice, the focus, the progress, the QR code and the confirmations in forced colours", async () => {
      const page = await shop.watch({ forcedColors: "active" });
      await visitIn("pay");
      await page.locator('[part="qr"] svg').waitFor();
      const styles = () =>
        page.locator('[part="option"]').evaluateAll((options) =>
          options.map((it) => {
            const { borderStyle, outlineStyle } = getComputedStyle(it.querySelector("span") ?? it);
            const isChosen = it.querySelector("input")?.checked;
            return [isChosen, borderStyle === "solid", outlineStyle === "solid"];
          }),
        );
      const before = await styles();
      expect(before.some(([isChosen]) => isChosen)).toBe(true);
      for (const style of before) expect(style).toEqual([style[0], style[0], false]);
      await page.keyboard.press("Tab");
      const focused = (await styles()).filter(([, , isOutlined]) => isOutlined);
      expect(focused).toEqual([[true, true, true]]);
      const group = page.locator('[part="choices"] fieldset > div').first();
      expect(await group.evaluate((it) => getComputedStyle(it).outlineStyle)).toBe("solid");
      const step = page.locator('[part="steps"] [aria-current]');
      const bar = await step.evaluate((it) => getComputedStyle(it, "::before").backgroundImage);
      expect(bar).toContain("linear-gradient");
      const qr = page.locator('[part="qr"]');
      expect(await qr.evaluate((it) => getComputedStyle(it).backgroundColor)).toBe(
        "rgb(255, 255, 255)",
      );
      await visitIn("confirming");
      const confirmations = page.getByRole("progressbar");
      expect(await confirmations.evaluate((it) => getComputedStyle(it).forcedColorAdjust)).toBe(
        "none",
      );
    });

    test("can be styled by every part and brand of the guide", async () => {
      const page = await shop.watch({ colorScheme: "light" });
      await visitIn("pay");
      await page.getByText("25 USDC").waitFor();
      for (const brand of brands) {
        await wear(page, brand);
        expect(await accessibilityViolations(page), brand).toEqual([]);
      }
      const parts = await partsInGuide();
      expect(parts.length).toBeGreaterThan(20);
      const missing = await shop.element.evaluate(
        (it, names) => names.filter((name) => !it.shadowRoot?.querySelector(`[part~="${name}"]`)),
        parts,
      );
      expect(missing).toEqual([]);
    });

    test("draws a QR code that a camera reads as the address and nothing else", async () => {
      const order = await shop.order();
      await shop.visit(order);
      const svg = await shop.page.locator('[part="qr"] svg').evaluate((it) => it.outerHTML);
      const reader = await browser().newPage();
      const scripts = await bundleForBrowser("test/browser/checkout-page.ts");
      await reader.route("**/*", (route) => {
        const script = scripts.get(new URL(route.request().url()).pathname);
        const body = script ?? '<script type="module" src="/checkout-page.js"></script>';
        return route.fulfill({ contentType: script ? "text/javascript" : "text/html", body });
      });
      await reader.goto("http://reader.test/");
      await reader.waitForFunction("globalThis.readQr");
      const read = await reader.evaluate(
        `readQr(${JSON.stringify(svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"'))})`,
      );
      await reader.context().close();
      const payment = shop.sandbox.payments.all().find(({ id }) => id === order.paymentId);
      expect(read).toBe(payment?.depositAddress?.address);
    });
  });
}

/** Elements that overflow their container. */
function cutOffTexts(page: Page): Promise<string[]> {
  return page.locator("settlekit-checkout").evaluate((element) => {
    const texts = element.shadowRoot?.querySelectorAll("li, p, h1, h2, dt, dd, button, label, a");
    return [...(texts ?? [])]
      .filter((it) => it.checkVisibility() && it.scrollWidth > it.clientWidth + 1)
      .map((it) => it.outerHTML);
  });
}

/** Touch targets that are too small: buttons, links and options under 44 pixels. */
function smallTargets(page: Page): Promise<string[]> {
  return page.locator("settlekit-checkout").evaluate((element) => {
    const targets = element.shadowRoot?.querySelectorAll<HTMLElement>(
      "button, a, label:has(input), input:not([type=radio])",
    );
    return [...(targets ?? [])]
      .filter((it) => it.checkVisibility())
      .filter(
        (it) => it.getBoundingClientRect().height < 44 || it.getBoundingClientRect().width < 44,
      )
      .map((it) => it.outerHTML);
  });
}

/** The roles of live regions. `role="timer"` is silent by default. */
function liveRegions(page: Page): Promise<(string | null)[]> {
  return page.locator("settlekit-checkout").evaluate((element) => {
    const regions = element.shadowRoot?.querySelectorAll(
      '[aria-live]:not([aria-live="off"]), [role="status"], [role="alert"], [role="log"], output',
    );
    return [...(regions ?? [])].map((it) => it.getAttribute("role"));
  });
}
