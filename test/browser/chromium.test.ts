import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { checkoutCases } from "./checkout-cases.ts";
import { chromiumPath, launchChromium } from "./chromium.ts";
import { contentSecurityCases } from "./content-security-cases.ts";
import { elementAwakeCases } from "./element-awake-cases.ts";
import { elementCases } from "./element-cases.ts";
import { elementEmbeddedCases } from "./element-embedded-cases.ts";
import { elementLastsCases } from "./element-lasts-cases.ts";
import { elementLooksCases } from "./element-looks-cases.ts";
import { elementPageCases } from "./element-page-cases.ts";
import { elementReturnCases } from "./element-return-cases.ts";
import { elementServiceCases } from "./element-service-cases.ts";
import { inspectorCases } from "./inspector-cases.ts";
import { inspectorToolsCases } from "./inspector-tools-cases.ts";
import { paymentPageCases } from "./payment-page-cases.ts";
import { reactCases } from "./react-cases.ts";
import { scenarioCases } from "./scenario-cases.ts";
import { sentCases } from "./sent-cases.ts";
import { tabsCases } from "./tabs-cases.ts";
import { walletCases } from "./wallet-cases.ts";

/** Whether the sandbox's pages, the element's looks and its rarer states are tested, too, as `npm run check` does. */
const isWhole = process.env.SETTLEKIT_BROWSER_CASES === "all";

// One browser for all of them: starting one takes longer than most cases.
describe.skipIf(chromiumPath === undefined)("in Chromium", () => {
  let launched: Browser;

  beforeAll(async () => {
    launched = await launchChromium();
  });
  afterAll(() => launched?.close());

  const browser = () => launched;
  checkoutCases(browser);
  contentSecurityCases(browser);
  paymentPageCases(browser, isWhole);
  elementCases(browser);
  elementPageCases(browser);
  walletCases(browser);
  reactCases(browser);
  if (isWhole) {
    elementLastsCases(browser);
    elementEmbeddedCases(browser);
    elementReturnCases(browser);
    scenarioCases(browser);
    inspectorCases(browser);
    inspectorToolsCases(browser);
    elementLooksCases(browser);
    elementAwakeCases(browser);
    elementServiceCases(browser);
    sentCases(browser);
    tabsCases(browser);
  }
});
