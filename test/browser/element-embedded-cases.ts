import type { Browser } from "playwright-core";
import { describe, expect, test } from "vitest";
import { elementShop } from "./element-shop.ts";

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
        else await page.getByLabel("Amount in US dollars").press("Enter");
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
  });
}
