import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The input of a run of the suite. */
export interface Setting {
  readonly baseUrl: string;
  readonly secretKey: string;
  /** POST to this URL followed by a payment's id to pay it. */
  readonly payUrl: string;
  /** A payment created by a server, for pages, which may not create one. */
  readonly created: { readonly paymentId: string; readonly secret: string };
  /** A signed webhook: not every runtime can sign one. */
  readonly delivery: {
    readonly secret: string;
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

export interface Host {
  readonly setting: Setting;
  /** The origin that serves the project's files to pages. */
  readonly origin: string;
  /** The User-Agent of each request that the sandbox received. */
  userAgents(): Set<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

const types: Record<string, string> = {
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".html": "text/html",
};

/** Starts the packed package's sandbox, and a server for everything else the suite needs. */
export async function startHost(project: string): Promise<Host> {
  const entry = (name: string) =>
    import(pathToFileURL(join(project, `node_modules/settlekit/dist/${name}.js`)).href);
  const { createSandbox }: typeof import("../../src/sandbox/index.ts") = await entry("sandbox");
  const { MerchantClient }: typeof import("../../src/index.ts") = await entry("index");

  const sandbox = createSandbox();
  const service = await sandbox.listen({ port: 0 });
  const { secretKey } = sandbox;
  const client = new MerchantClient({ secretKey, environment: "sandbox", baseUrl: service.url });
  const created = await client.payments.create({ amount: 2500, orderId: "order_of_a_server" });
  const { signWebhook }: typeof import("../../src/webhooks/index.ts") = await entry("webhooks");
  const event = { event: "payment.updated", data: { orderId: "order_ü", status: "completed" } };
  const secret = "whsec_ü";
  const { body, headers } = signWebhook({ event, secret });
  const before = sandbox.requests().length;

  const world = createServer(async ({ method, url = "/" }, response) => {
    const { pathname } = new URL(url, "http://world");
    if (method === "POST") {
      await sandbox.payments.simulate(pathname.replace("/pay/", ""), "success");
      return response.writeHead(204, { "Access-Control-Allow-Origin": "*" }).end();
    }
    const content = await readFile(join(project, pathname)).catch(() => undefined);
    if (content === undefined) return response.writeHead(404).end();
    const type = types[extname(pathname)] ?? "text/plain";
    return response.writeHead(200, { "Content-Type": type }).end(content);
  });
  await new Promise<void>((resolve) => world.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(world.address() as AddressInfo).port}`;

  return {
    setting: {
      baseUrl: service.url,
      secretKey,
      payUrl: `${origin}/pay/`,
      created,
      delivery: { secret, body, headers },
    },
    origin,
    userAgents: () =>
      new Set(
        sandbox
          .requests()
          .slice(before)
          .map(({ headers }) => headers["user-agent"] ?? "none"),
      ),
    async [Symbol.asyncDispose]() {
      world.close();
      world.closeAllConnections();
      await service.close();
    },
  };
}
