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
import { watchedPage } from "./watched-page.ts";

const root = resolve(import.meta.dirname, "../..");
const page = resolve(import.meta.dirname, "react-page.ts");

/** Another version of React can be tested from a folder that it is installed in. */
const reactFolder = process.env.REACT_FOLDER ?? join(root, "node_modules");

/** What React's own build makes of the page: development, which has the warnings. */
async function bundle(options: BuildOptions): Promise<string> {
  const name = (it: string) => join(reactFolder, it);
  const { outputFiles } = await build({
    bundle: true,
    write: false,
    define: { "process.env.NODE_ENV": '"development"' },
    alias: { react: name("react"), "react-dom": name("react-dom") },
    ...options,
  });
  return outputFiles?.[0]?.text ?? "";
}

export function reactCases(browser: () => Browser): void {
  describe("the component for React", () => {
    const sandbox = createSandbox({ deliver: async () => new Response() });
    let service: SandboxServer;
    let shop: Server;
    let folder: string;
    let script: string;
    let render: (props: object) => string;

    beforeAll(async () => {
      service = await sandbox.listen({ port: 0 });
      script = await bundle({ entryPoints: [page], format: "esm" });
      const server = `
        import { renderToString } from "react-dom/server.browser";
        import { checkout } from ${JSON.stringify(page)};
        export const render = (props) => renderToString(checkout(props));`;
      folder = await mkdtemp(join(tmpdir(), "settlekit-react-"));
      const file = join(folder, "server.cjs");
      const code = await bundle({
        stdin: { contents: server, resolveDir: root },
        format: "cjs",
        platform: "node",
      });
      await writeFile(file, code);
      ({ render } = createRequire(import.meta.url)(file));
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

    test("is rendered on a server without the secret, hydrates silently, and says that it was paid", async () => {
      const { paymentId, secret } = await create(sandbox);
      const props = { paymentId, secret, baseUrl: service.url, lang: "en" };
      const rendered = render(props);
      expect(rendered).toBe('<settlekit-checkout class="pay" lang="en"></settlekit-checkout>');
      const data = JSON.stringify(props).replaceAll('"', "&quot;");
      html = `<!doctype html><link rel="icon" href="data:,"><title>Shop</title><div id="root" data-props="${data}">${rendered}</div><script type="module" src="/page.js"></script>`;
      const watched = await watchedPage(browser());
      await watched.page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
      await watched.page.getByText("25 USDC").waitFor();
      expect(await watched.page.evaluate("globalThis.hydrationError")).toBeUndefined();
      expect(await watched.page.locator("settlekit-checkout").getAttribute("secret")).toBeNull();
      await sandbox.payments.simulate(paymentId, "success");
      await watched.page.locator("settlekit-checkout").evaluate((element) => {
        void (element as HTMLElementTagNameMap["settlekit-checkout"]).refresh();
      });
      await watched.page.getByText("$25.00 arrived. Thank you.").waitFor();
      expect(await watched.page.title()).toBe("paid order_1");
      expect(watched.troubles).toEqual([]);
      await watched.page.context().close();
    });
  });
}
