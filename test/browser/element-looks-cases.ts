import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bundleForBrowser } from "./bundle.ts";
import { type CheckoutPage, ElementShop } from "./element-shop.ts";
import { accessibilityViolations } from "./watched-page.ts";

/** The states of a payment, and what the customer reads in each, in English. */
const states = ["pay", "deposit", "confirming", "paid", "overpaid", "failed", "expired", "unknown"];

const looks: readonly [string, BrowserContextOptions, Record<string, string>][] = [
  ["light", { colorScheme: "light" }, {}],
  ["dark", { colorScheme: "dark" }, {}],
  ["right to left", { colorScheme: "light" }, { lang: "ar" }],
  ["on a phone", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }, { lang: "de" }],
  ["in forced colours", { forcedColors: "active" }, {}],
];

export function elementLooksCases(browser: () => Browser): void {
  describe("the look of the checkout element", () => {
    let shop: ElementShop;
    let watched: CheckoutPage;

    beforeAll(async () => {
      shop = new ElementShop(browser());
      await shop.open();
    });
    afterAll(() => shop?.close());

    afterEach(async () => {
      await watched.page.context().close();
      // The browser itself notes that one payment does not exist.
      expect(watched.troubles.filter((text) => !text.includes("status of 404"))).toEqual([]);
      expect([...watched.origins].sort()).toEqual([shop.url, shop.service.url].sort());
    });

    const element = () => watched.page.locator("settlekit-checkout");
    const phase = (name: string) => watched.page.locator(`[data-phase="${name}"]`).waitFor();

    /** Opens an order's page in a state. */
    async function visitIn(state: string, attributes: Record<string, string>): Promise<void> {
      const { payments } = shop.sandbox;
      const order = await shop.order(state === "deposit" ? { type: "deposit" } : {});
      const scenario = {
        paid: "success",
        overpaid: "overpayment",
        failed: "underpayment",
        expired: "timeout",
      }[state];
      if (scenario) await payments.simulate(order.paymentId, scenario as "success");
      if (state === "confirming") {
        await payments.simulate(order.paymentId, "success", { steps: "by-hand" });
        await payments.step(order.paymentId);
      }
      const asked = state === "unknown" ? { ...order, paymentId: "unknown" } : order;
      await shop.visit(watched, asked, attributes);
      const phases: Record<string, string> = {
        pay: "pay",
        deposit: "deposit",
        confirming: "confirming",
        unknown: "problem",
      };
      await phase(phases[state] ?? "over");
      if (state === "pay") await watched.page.getByRole("timer").waitFor();
    }

    test.each(looks)(
      "has nothing that axe objects to, and fits, in every state: %s",
      async (_, options, attributes) => {
        watched = await shop.watch(options);
        const { page } = watched;
        for (const state of states) {
          await visitIn(state, attributes);
          expect(await accessibilityViolations(page), state).toEqual([]);
          const width = await page.evaluate(() => [
            document.documentElement.scrollWidth,
            innerWidth,
          ]);
          expect(width[0], state).toBe(width[1]);
          expect(await smallTargets(page), state).toEqual([]);
        }
      },
    );

    test("fits at 200 % zoom, which halves the page", async () => {
      watched = await shop.watch({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });
      await visitIn("pay", {});
      const width = await watched.page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBe(640);
    });

    test("is styled by every property and brand of the guide", async () => {
      watched = await shop.watch({ colorScheme: "light" });
      const { page } = watched;
      const guide = await readFile(resolve("docs/checkout-theming.md"), "utf8");
      const brands = [...guide.matchAll(/^```css\n(.*?)^```/gms)]
        .map(([, css = ""]) => css)
        .slice(-3);
      await shop.visit(watched, await shop.order());
      await page.getByText("25 USDC").waitFor();
      for (const [index, name] of ["market", "studio", "game"].entries()) {
        await page.evaluate(
          ([css = "", name = ""]) => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(css);
            document.adoptedStyleSheets = [sheet];
            document.body.className = name;
            document
              .querySelector("settlekit-checkout")
              ?.setAttribute("theme", name === "game" ? "dark" : "light");
          },
          [brands[index], name],
        );
        expect(await accessibilityViolations(page), name).toEqual([]);
      }
      const parts = [...guide.matchAll(/^\| ((?:`[a-z-]+`(?:, )?)+) \|/gm)].flatMap(
        ([, cell = ""]) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, part]) => part),
      );
      const missing = await element().evaluate(
        (it, names) =>
          names.filter((name) => it.shadowRoot?.querySelector(`[part~="${name}"]`) === null),
        parts.filter((part) => !part?.startsWith("--")),
      );
      expect(missing).toEqual([]);
    });

    test("draws a code that a camera reads as the address, and nothing but the address", async () => {
      watched = await shop.watch();
      const { page } = watched;
      const order = await shop.order();
      await shop.visit(watched, order);
      const svg = await page.locator('[part="qr"] svg').evaluate((it) => it.outerHTML);
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

    test("paints within 100 ms of its script", async () => {
      watched = await shop.watch();
      const { page } = watched;
      const order = await shop.order();
      const times: number[] = [];
      for (let visit = 0; visit < 5; visit++) {
        await shop.visit(watched, order);
        await page.getByText("25 USDC").waitFor();
        times.push(
          await page.evaluate(() => {
            const [script] = performance.getEntriesByType(
              "resource",
            ) as PerformanceResourceTiming[];
            const paint = performance.getEntriesByName("first-contentful-paint")[0];
            return (paint?.startTime ?? Number.NaN) - (script?.responseEnd ?? Number.NaN);
          }),
        );
      }
      // The machine may be busy with other tests: what it can do counts.
      expect(Math.min(...times)).toBeLessThan(100);
    });
  });
}

/** What a finger cannot hit: buttons, links and options that are smaller than 44 pixels. */
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
