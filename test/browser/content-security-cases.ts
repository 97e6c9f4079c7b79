import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { bundleForBrowser } from "./bundle.ts";

/** A shop's own copy of zod, in a bundle of its own. */
async function ownZod(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents:
        'import * as z from "zod"; globalThis.settings = { ...z.config() }; z.object({}).parse({});',
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

export function contentSecurityCases(browser: () => Browser): void {
  describe("under a content security policy that forbids eval", () => {
    const sandbox = createSandbox();
    let service: SandboxServer;
    let shop: Server;
    let page: Page;
    const printed: string[] = [];

    beforeAll(async () => {
      service = await sandbox.listen({ port: 0 });
      const bundled = await bundleForBrowser("test/browser/checkout-page.ts");
      const scripts = new Map(bundled).set("/own-zod.js", await ownZod());
      shop = createServer(({ url = "/" }, response) => {
        const script = scripts.get(url);
        response.setHeader("Content-Type", script ? "text/javascript" : "text/html");
        response.setHeader(
          "Content-Security-Policy",
          `default-src 'none'; script-src 'self'; connect-src ${service.url}; img-src data:`,
        );
        response.end(
          script ??
            `<link rel="icon" href="data:,"><script type="module" src="/checkout-page.js"></script>`,
        );
      });
      await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
      page = await browser().newPage();
      await page.exposeFunction("report", (blocked: string) => printed.push(`blocked: ${blocked}`));
      await page.addInitScript(
        'document.addEventListener("securitypolicyviolation", (event) => report(event.blockedURI))',
      );
      page.on("console", (message) => printed.push(message.text()));
      page.on("pageerror", (error) => printed.push(String(error)));
      await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
      await page.waitForFunction(() => "CheckoutClient" in globalThis);
    });

    afterAll(async () => {
      await page?.context().close();
      await service?.close();
      shop?.closeAllConnections();
      shop?.close();
    });

    test("a checkout reads its payment without a violation or console output", async () => {
      const { paymentId, secret } = await createPayment(service.url, sandbox.secretKey);
      const status = await page.evaluate(
        async (options) => {
          // The policy does not apply to code that the debugger calls, but to code that a timer calls.
          await new Promise((resolve) => setTimeout(resolve));
          const { CheckoutClient } = globalThis as unknown as CheckoutPage;
          const checkout = new CheckoutClient(options);
          await checkout.quotes.list();
          return (await checkout.payment()).status;
        },
        { paymentId, secret, baseUrl: service.url },
      );
      expect(status).toBe("pending");
      expect(printed).toEqual([]);
    });

    test("the shop's own zod keeps its default configuration", async () => {
      await page.addScriptTag({ url: "/own-zod.js" });
      const settings = await page.evaluate(() => (globalThis as { settings?: object }).settings);
      expect(settings).toEqual({});
      // It tries eval, and the browser reports that, so the empty log above is meaningful.
      await expect.poll(() => printed).toEqual(["blocked: eval"]);
    });
  });
}

type CheckoutPage = typeof import("settlekit/checkout");

async function createPayment(baseUrl: string, secretKey: string) {
  const response = await fetch(`${baseUrl}/v1/external/secretkey-auth/payments`, {
    method: "POST",
    headers: { "X-Service-Secret-Key": secretKey, "Content-Type": "application/json" },
    body: JSON.stringify({ currency: "USD", orderId: "order_1", amount: 2500 }),
  });
  return (await response.json()) as { paymentId: string; secret: string };
}
