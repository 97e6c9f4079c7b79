import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The path of a Chromium for this machine: an installed one, or that of the dev dependencies. */
async function findChromium(): Promise<string | undefined> {
  const installed = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"];
  const found = installed.find((path) => path !== undefined && existsSync(path));
  if (found || process.platform !== "linux" || process.arch !== "x64") return found;
  const { default: packaged } = await import("@sparticuz/chromium");
  return packaged.executablePath();
}

/** Undefined if no Chromium is available; the tests are then reported as skipped. */
export const chromiumPath = await findChromium();

/** How long a step in a page may take: far less than a test, so that a hanging test names its step. */
const stepMs = 120_000;

export async function launchChromium(): Promise<Browser> {
  const browser = await chromium.launch({
    ...(chromiumPath !== undefined && { executablePath: chromiumPath }),
    headless: true,
    timeout: stepMs,
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-quic",
      "--disable-gpu",
    ],
  });
  return browser.on("context", (context) => context.setDefaultTimeout(stepMs));
}
