import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type BuildOptions, build } from "esbuild";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox, type SandboxServer } from "../../src/sandbox/index.ts";
import { create } from "../sandbox/merchant.ts";
import { ShowingWallet } from "./showing-wallet.ts";
import { watchedPage } from "./watched-page.ts";

const root = resolve(import.meta.dirname, "../..");
const page = resolve(import.meta.dirname, "react-page.ts");

/** The packages of each supported React version. */
const versions = [
  ["18", { react: "react-18", "react-dom": "react-dom-18" }],
  ["19", { react: "react", "react-dom": "react-dom" }],
] as const;

/** Bundles the page with React's development build, which prints warnings. */
async function bundle(packages: Readonly<Record<string, string>>, options: BuildOptions) {
  const folders = Object.entries(packages).map(([name, folder]) => [
    name,
    join(root, "node_modules", folder),
  ]);
  const { outputFiles } = await build({
    bundle: true,
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
    alias: Object.fromEntries(folders),
    ...options,
  });
  return outputFiles?.[0]?.text ?? "";
}

export function reactCases(browser: () => Browser): void {
  describe.each(versions)("the component for React %s", (version, packages) => {
    const sandbox = createSandbox({ deliver: async () => new Response() });
    let service: SandboxServer;
    let shop: Server;
    let folder: string;
    let script: string;
    let render: (props: object) => string;

    beforeAll(async () => {
      service = await sandbox.listen({ port: 0 });
      script = await bundle(packages, { entryPoints: [page], format: "esm" });
      const server = `
        import { renderToString } from "react-dom/server.browser";
        import { version } from "react";
        import { checkout } from ${JSON.stringify(page)};
        export { version };
        export const render = (props) => renderToString(checkout(props));`;
      folder = await mkdtemp(join(tmpdir(), "settlekit-react-"));
      const file = join(folder, "server.cjs");
      const code = await bundle(packages, {
        stdin: { contents: server, resolveDir: root },
        format: "cjs",
        platform: "node",
      });
      await writeFile(file, code);
      const rendering = createRequire(import.meta.url)(file);
      expect(rendering.version).toMatch(`${version}.`);
      render = rendering.render;
      shop = createServer(({ url }, response) => {
        const isScript = url === "/page.js";
        response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
        response.end(isScript ? script : html);
      });
      await new Promise<void>((done) => shop.listen(0, "127.0.0.1", done));
    });

    afterAll(async () => {
      await service?.close();
      shop?.close();
      if (folder) await rm(folder, { recursive: true });
    });

    let html = "";
    const shopPage = (props: object, rendered = "") => {
      const data = JSON.stringify(props).replaceAll('"', "&quot;");
      return `<!doctype html><link rel="icon" href="data:,"><title>Shop</title><div id="root" data-props="${data}">${rendered}</div><script type="module" src="/page.js"></script>`;
    };

    test("renders on a server without the secret, hydrates silently, and reports that it was paid", async () => {
      const { paymentId, secret } = await create(sandbox);
      const props = { paymentId, secret, baseUrl: service.url, lang: "en" };
      const rendered = render(props);
      expect(rendered).toBe(
        '<settlekit-checkout data-testid="pay" class="pay" lang="en"></settlekit-checkout>',
      );
      html = shopPage(props, rendered);
      const watched = await watchedPage(browser());
      await watched.page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
      await watched.page.getByText("25 USDC").waitFor();
      expect(await watched.page.evaluate("globalThis.hydrationError")).toBeUndefined();
      expect(await watched.page.locator("settlekit-checkout").getAttribute("secret")).toBeNull();
      await watched.page.evaluate("renderAgain()");
      expect(await watched.page.evaluate("elements.length")).toBe(1);
      await sandbox.payments.simulate(paymentId, "success");
      await watched.page.locator("settlekit-checkout").evaluate((element) => {
        void (element as HTMLElementTagNameMap["settlekit-checkout"]).refresh();
      });
      await watched.page
        .locator('[part="outcome"]')
        .getByText("$25.00 arrived. Thank you.")
        .waitFor();
      expect(await watched.page.title()).toBe("paid order_1");
      const mistake = await watched.page.locator("html").getAttribute("data-mistake");
      expect(mistake).toBe(
        'The checkout has no prop "onPayed", so it is ignored. Did you mean onPaid?',
      );
      expect(watched.troubles).toEqual([]);
      await watched.page.context().close();
    });

    test("keeps its state when it is rendered again, hidden and shown", async () => {
      const { paymentId, secret } = await create(sandbox);
      html = shopPage({ paymentId, secret, baseUrl: service.url, lang: "en" });
      const { page } = await watchedPage(browser());
      const asks = page.locator('[part="wallet-status"] p', { hasText: "Check the amount" });
      const wallet = new ShowingWallet();
      await wallet.join(page);
      await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
      await page.getByRole("button", { name: "Pay with Anvil Wallet" }).click();
      await asks.waitFor();
      const element = page.locator("settlekit-checkout");
      await page.evaluate("render({ theme: 'dark', messages: {}, rpcUrls: {} })");
      expect(await element.getAttribute("theme")).toBe("dark");
      await page.evaluate("hold()");
      await page.getByText("Wait", { exact: true }).waitFor();
      await page.evaluate("release()");
      await asks.waitFor();
      wallet.confirm(0);
      await page.getByText("Payment sent").waitFor();

      // Paid while React hides it.
      await page.evaluate("hold()");
      await sandbox.payments.simulate(paymentId, "success");
      await element.evaluate((it) => (it as HTMLElementTagNameMap["settlekit-checkout"]).refresh());
      expect(await page.evaluate("paid")).toEqual(["order_1"]);
      await page.evaluate("release()");
      await page.locator('[part="outcome"]').getByText("$25.00 arrived. Thank you.").waitFor();
      await page.evaluate("render({ theme: 'light' })");
      expect(await element.getAttribute("theme")).toBe("light");
      expect(await page.evaluate("paid")).toEqual(["order_1"]);
      expect(wallet.transfers.length).toBe(1);
      await page.context().close();
    });
  });
}
