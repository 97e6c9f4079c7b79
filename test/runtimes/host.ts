import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The input of a run of the suite. */
export interface Setting {
  readonly baseUrl: string;
  readonly secretKey: string;
  /** A service that acts on each change, and breaks its connection instead of answering. */
  readonly breakingUrl: string;
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

/**
 * A service that acts on the first change of each path, and breaks its connection instead of answering. It answers later
 * ones, and every GET, with a page that holds the changes so far.
 */
function breakingService() {
  const changes: { readonly path: string; readonly isWarm: boolean }[] = [];
  const known = new WeakSet<object>();
  return createServer((request, response) => {
    const { method, url: path = "/", socket } = request;
    const isWarm = known.has(socket);
    known.add(socket);
    request.resume().on("end", () => {
      if (method !== "GET") changes.push({ path, isWarm });
      if (method !== "GET" && changes.filter((change) => change.path === path).length === 1) {
        return socket.destroy();
      }
      const pagination = { total: 0, limit: 20, offset: 0, hasMore: false };
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ id: "2", data: [], pagination, changes }));
    });
  });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

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
  const origin = await listen(world);
  const breaking = breakingService();
  const breakingUrl = await listen(breaking);

  return {
    setting: {
      baseUrl: service.url,
      secretKey,
      breakingUrl,
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
      for (const server of [world, breaking]) {
        server.close();
        server.closeAllConnections();
      }
      await service.close();
    },
  };
}
