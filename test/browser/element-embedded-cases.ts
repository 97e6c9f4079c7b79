import type { Browser } from "playwright-core";
import { describe, test } from "vitest";
import { elementShop } from "./element-shop.ts";

export function elementEmbeddedCases(browser: () => Browser): void {
  describe("the checkout element in a page that is not its own", () => {
    const shop = elementShop(browser);

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
  });
}
