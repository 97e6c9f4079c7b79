import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { bundleForBrowser } from "./bundle.ts";

export function checkoutCases(browser: () => Browser): void {
  describe("a customer", () => {
    const sandbox = createSandbox();
    let service: SandboxServer;
    let shop: Server;
    let page: Page;
    const troubles: string[] = [];

    beforeAll(async () => {
      service = await sandbox.listen({ port: 0 });
      const files = await bundleForBrowser("test/browser/checkout-page.ts");
      shop = createServer(({ url = "/" }, response) => {
        const script = files.get(url);
        response.setHeader("content-type", script ? "text/javascript" : "text/html");
        response.end(
          script ??
            `<link rel="icon" href="data:,"><script type="module" src="/checkout-page.js"></script>`,
        );
      });
      await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
      page = await browser().newPage();
      page.on("pageerror", (error) => troubles.push(String(error)));
      page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
      await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
      await page.waitForFunction("globalThis.CheckoutClient");
    });

    afterAll(async () => {
      await page?.context().close();
      await service?.close();
      shop?.closeAllConnections();
      shop?.close();
    });

    /** A payment of the merchant, and the options for its checkout client. */
    async function order(body: object) {
      const response = await fetch(`${service.url}/v1/external/secretkey-auth/payments`, {
        method: "POST",
        headers: { "x-service-secret-key": sandbox.secretKey, "content-type": "application/json" },
        body: JSON.stringify({ currency: "USD", orderId: "order_1", ...body }),
      });
      const { paymentId, secret } = (await response.json()) as {
        paymentId: string;
        secret: string;
      };
      return { paymentId, secret, baseUrl: service.url };
    }

    /** Runs code in the page with a checkout client for the options. */
    const inPage = (options: object, code: string) =>
      page.evaluate(
        `(async () => { const checkout = new CheckoutClient(${JSON.stringify(options)}); ${code} })()`,
      ) as Promise<Record<string, unknown>>;

    test("sees the payment, and a QR code with the address to pay to", async () => {
      const options = await order({ amount: 2500 });
      const startedAt = performance.now();
      const seen = await inPage(
        options,
        `const payment = await checkout.payment();
       const quote = await checkout.quotes.create({ chainId: 84532, contractAddress: payment.quotes.find(({ token }) => token.symbol === "USDC").token.contractAddress });
       const request = checkout.paymentRequest(payment, quote);
       return {
         ...request,
         remainingMs: request.remainingMs(),
         qr: await readQr(request.addressQrSvg()),
         uriQr: await readQr(request.uriQrSvg()),
         quotes: (await checkout.quotes.list()).length,
       };`,
      );
      expect(seen).toMatchObject({
        amount: "25",
        amountUnits: "25000000",
        symbol: "USDC",
        chainId: 84532,
      });
      expect(seen.qr).toBe(seen.address);
      expect(seen.uriQr).toBe(seen.uri);
      // The service's clock counts in seconds.
      const leastMs = 10 * 60_000 - (performance.now() - startedAt) - 1_000;
      expect(seen.remainingMs).toBeGreaterThan(leastMs);
      expect(seen.quotes).toBeGreaterThan(0);
    });

    test("sees the payment become paid", async () => {
      const options = await order({ amount: 2500 });
      await page.exposeFunction("pay", () =>
        sandbox.payments.simulate(options.paymentId, "success"),
      );
      const seen = await inPage(
        options,
        `const statuses = [];
       for await (const { status } of checkout.watch({ intervalMs: 20 })) {
         statuses.push(status);
         if (status === "pending") await pay();
       }
       return { statuses };`,
      );
      expect(seen.statuses).toEqual(["pending", "completed"]);
    });

    test("chooses the amount of a deposit", async () => {
      const options = await order({ type: "deposit" });
      const seen = await inPage(
        options,
        `const quote = await checkout.quotes.create({ forceDepositAmount: 700 });
       return { quote, state: await checkout.refreshStatus() };`,
      );
      expect(seen.state).toMatchObject({ status: "pending" });
      expect(seen.quote).toMatchObject({ status: "active" });
    });

    test("gets typed errors, which print nothing to the console but the browser's own message", async () => {
      const options = await order({ amount: 2500 });
      troubles.length = 0;
      const seen = await inPage(
        { ...options, secret: "ps_wrong" },
        `return checkout.payment().catch(({ name, status, outcome }) => ({ name, status, outcome }));`,
      );
      expect(seen).toEqual({ name: "AuthenticationError", status: 401, outcome: "rejected" });
      expect(troubles.filter((text) => !text.includes("401"))).toEqual([]);
    });
  });
}
