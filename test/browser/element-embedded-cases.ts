import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { elementShop } from "./element-shop.ts";
import { stopClock } from "./watched-page.ts";

export function elementEmbeddedCases(browser: () => Browser): void {
  describe("the checkout element in a page that is not its own", () => {
    const shop = elementShop(browser);

    const styleOf = (property: "borderRadius" | "color" | "width") =>
      shop.element.evaluate((it, name) => {
        const card = it.shadowRoot?.firstElementChild;
        return card && getComputedStyle(card)[name];
      }, property);

    test.each(["click", "Enter"])(
      "takes a deposit in a frame that may submit no forms, by %s",
      async (by) => {
        shop.changes = { policy: "sandbox allow-scripts" };
        await shop.visit(await shop.order({ type: "deposit" }), {}, "/global");
        const { page } = shop;
        if (by === "click") await page.getByRole("button", { name: "Continue" }).click();
        // By its role, which it has only once it is visible.
        else await page.getByRole("textbox").press("Enter");
        await page.getByText("25 USDC").waitFor();
      },
    );

    test("replaces a shadow root that the server rendered, and has its styles", async () => {
      const rendered = '<template shadowrootmode="open"><p>Please wait</p></template>';
      shop.changes = {
        markup: (html) => html.replace("</settlekit-checkout>", `${rendered}$&`),
      };
      await shop.visit(await shop.order());
      const { page } = shop;
      await page.getByText("25 USDC").waitFor();
      expect(await styleOf("borderRadius")).toBe("20px");
      expect(await page.getByText("Please wait").count()).toBe(0);
    });

    test("keeps a style sheet that the page added, also when the page moves it", async () => {
      await shop.visit(await shop.order());
      await shop.page.getByText("25 USDC").waitFor();
      await shop.element.evaluate((it) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync("[part='card'] { border-radius: 3px !important }");
        it.shadowRoot?.adoptedStyleSheets.push(sheet);
        document.body.append(it);
      });
      expect(await styleOf("borderRadius")).toBe("3px");
    });

    test("shows the payment where shadow roots adopt no style sheets, as in jsdom", async () => {
      await shop.visit(await shop.order());
      await shop.page.getByText("25 USDC").waitFor();
      await shop.element.evaluate((it) => {
        Object.defineProperty(ShadowRoot.prototype, "adoptedStyleSheets", {
          value: undefined,
          writable: true,
        });
        it.replaceWith(it.cloneNode());
      });
      await shop.page.getByText("25 USDC").waitFor();
    });

    test("has the texts and the language that it was given long before it was added to the page", async () => {
      const order = await shop.order();
      await shop.visit(order, { "payment-id": "", secret: "" });
      await shop.shows("problem");
      await shop.page.evaluate(
        async (properties) => {
          const made = document.createElement("settlekit-checkout");
          Object.assign(made, properties);
          await new Promise((resolve) => setTimeout(resolve));
          document.querySelector("main")?.replaceChildren(made);
        },
        { ...order, baseUrl: shop.service.url, lang: "en", messages: { stepPaid: "Done" } },
      );
      await shop.page.getByText("Done", { exact: true }).waitFor();
      await shop.page.getByText("25 USDC").waitFor();
    });

    test("falls back to execCommand if the Clipboard API is not allowed, and leaves the customer's own copies alone", async () => {
      const page = await shop.watch({ permissions: ["clipboard-read"] });
      // "✓ Copy" is shown for two seconds.
      await stopClock(page);
      await page.addInitScript(() => {
        Clipboard.prototype.writeText = () => Promise.reject(new Error("Not allowed"));
      });
      await shop.visit(await shop.order());
      await page.getByText("25 USDC").waitFor();
      await page.getByRole("button", { name: "Copy the amount" }).click();
      await page.getByText("✓ Copy").waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("25");
      const copied = await page.evaluate(() => {
        const own = document.createElement("p");
        own.textContent = "Thank you";
        document.body.append(own);
        getSelection()?.selectAllChildren(own);
        document.execCommand("copy");
        return navigator.clipboard.readText();
      });
      expect(copied).toBe("Thank you");
    });

    test("is written from left to right in a page that is written from top to bottom", async () => {
      await shop.visit(await shop.order());
      await shop.page.getByText("25 USDC").waitFor();
      await shop.page.evaluate(() => {
        document.documentElement.style.writingMode = "vertical-rl";
      });
      expect(Number.parseFloat((await styleOf("width")) ?? "")).toBeGreaterThan(500);
    });

    test("prints dark text on white paper, whatever its theme", async () => {
      await shop.visit(await shop.order(), { theme: "dark" });
      await shop.page.getByText("25 USDC").waitFor();
      expect(await styleOf("color")).toBe("rgb(234, 239, 246)");
      await shop.page.emulateMedia({ media: "print" });
      expect(await styleOf("color")).toBe("rgb(22, 32, 46)");
    });

    test("follows the page's language if a framework sets the property lang to undefined", async () => {
      shop.changes = { markup: (html) => html.replace('<html lang="en">', '<html lang="de">') };
      await shop.visit(await shop.order());
      const { page } = shop;
      await page.getByText("Wir warten auf Ihre Zahlung").waitFor();
      const set = (lang: string | undefined) =>
        shop.element.evaluate((it, value) => Object.assign(it, { lang: value }).lang, lang);
      expect(await set("fr")).toBe("fr");
      await page.locator('[part="card"][lang="fr"]').waitFor();
      expect(await set(undefined)).toBe("");
      await page.getByText("Wir warten auf Ihre Zahlung").waitFor();
    });

    test("reports an attribute that has to be a property", async () => {
      await shop.visit(await shop.order(), { "rpc-urls": "[object Object]" });
      await shop.page.getByText("25 USDC").waitFor();
      const [error] = shop.events.filter(({ name }) => name === "error");
      expect(error?.detail.message).toBe(
        'The checkout has no attribute "rpc-urls", so it is ignored. Did you mean rpcUrls?',
      );
    });

    test("treats an empty attribute as a missing one", async () => {
      await shop.visit(await shop.order(), { environment: "", "header-prefix": "" });
      await shop.page.getByText("25 USDC").waitFor();
    });
  });
}
