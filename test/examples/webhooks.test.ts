import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { signedDelivery } from "../../src/testing/index.ts";

const secret = "whsec_example";
const signed = (orderId: string, key = secret) =>
  signedDelivery({
    event: { event: "payment.updated", data: { status: "completed", orderId } },
    secret: key,
  });
const log = vi.spyOn(console, "log");

beforeEach(() => {
  vi.stubEnv("SETTLEKIT_WEBHOOK_SECRET", secret);
  vi.stubEnv("PORT", "0");
  vi.spyOn(console, "warn").mockReturnValue();
  log.mockReset();
});
afterEach(() => vi.unstubAllEnvs());

type ExampleServer = Pick<Server, "address" | "close" | "listening" | "once">;

/** Waits until the example's server listens, and returns its URL. */
async function started(server: ExampleServer): Promise<string> {
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the example for", () => {
  it.each<[string, () => Promise<{ server: unknown }>, boolean]>([
    ["node:http", () => import("../../examples/webhooks/node-http.ts"), false],
    ["Express", () => import("../../examples/webhooks/express.ts"), true],
    ["Fastify", () => import("../../examples/webhooks/fastify.ts"), true],
    ["Koa", () => import("../../examples/webhooks/koa.ts"), false],
    ["Hono", () => import("../../examples/webhooks/hono.ts"), true],
  ])("%s receives webhooks beside its other routes", async (name, load, parsesOrders) => {
    const { server } = (await load()) as { server: ExampleServer };
    const origin = await started(server);
    try {
      const post = (path: string, { headers, body }: Pick<RequestInit, "headers" | "body">) =>
        fetch(origin + path, {
          method: "POST",
          ...(headers && { headers }),
          ...(body && { body }),
        });
      expect((await post("/webhooks", signed(name))).status).toBe(200);
      expect(log).toHaveBeenCalledExactlyOnceWith(`order ${name}: completed`);
      expect((await post("/webhooks", signed(name, "forged"))).status).toBe(401);
      expect((await fetch(`${origin}/webhooks`)).status).toBe(405);
      const order = { headers: { "content-type": "application/json" }, body: '{"sku":1}' };
      const answer = await post("/orders", order);
      if (parsesOrders) expect(await answer.json()).toEqual({ sku: 1 });
      else expect(answer.status).toBe(404);
    } finally {
      server.close();
    }
  });

  it("Next's app router receives webhooks", async () => {
    const { POST } = await import("../../examples/webhooks/next-app-router.ts");
    const url = "https://shop.example/webhooks";
    expect((await POST(signed("next").request(url))).status).toBe(200);
    expect(log).toHaveBeenCalledExactlyOnceWith("order next: completed");
    expect((await POST(signed("next", "forged").request(url))).status).toBe(401);
  });

  it.each(["../../examples/webhooks/next-app-router.ts", "../../examples/webhooks/next-pages.ts"])(
    "Next can be built without the secret: %s",
    async (path) => {
      vi.stubEnv("SETTLEKIT_WEBHOOK_SECRET", undefined);
      vi.resetModules();
      expect(Object.keys(await import(path)).length).toBeGreaterThan(0);
    },
  );

  it("Next's pages API receives webhooks, with Next's parser off", async () => {
    const { default: handle, config } = await import("../../examples/webhooks/next-pages.ts");
    expect(config).toEqual({ api: { bodyParser: false } });
    const server = createServer(handle).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const origin = await started(server);
      const { headers, body } = signed("pages");
      expect((await fetch(origin, { method: "POST", headers, body })).status).toBe(200);
      expect(log).toHaveBeenCalledExactlyOnceWith("order pages: completed");
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("a worker receives webhooks with the secret of its environment", async () => {
    const { default: worker } = await import("../../examples/webhooks/worker.ts");
    const environment = { SETTLEKIT_WEBHOOK_SECRET: "whsec_worker" };
    const request = signed("worker", "whsec_worker").request("https://shop.example/");
    expect((await worker.fetch(request, environment)).status).toBe(200);
    expect(log).toHaveBeenCalledExactlyOnceWith("order worker: completed");
    const forged = signed("worker").request("https://shop.example/");
    expect((await worker.fetch(forged, environment)).status).toBe(401);
  });

  it("AWS Lambda receives webhooks in events of either version", async () => {
    const { handler } = await import("../../examples/webhooks/aws-lambda.ts");
    const delivery = signed("lambda");
    for (const event of [delivery.lambdaV1(), delivery.lambdaV2({ base64: true })]) {
      expect(await handler(event)).toMatchObject({ statusCode: 200 });
    }
    expect(log).toHaveBeenCalledTimes(2);
  });
});
