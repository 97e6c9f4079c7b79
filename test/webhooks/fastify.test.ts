import { fastify } from "fastify";
import { describe, expect, it, vi } from "vitest";
import { signedDelivery } from "../../src/testing/index.ts";
import { type FastifyWebhooksOptions, fastifyWebhooks } from "../../src/webhooks/fastify/index.ts";
import { paymentUpdated, receiver, secret, timestamp } from "./deliveries.ts";

// Refusals are logged by default.
vi.spyOn(console, "warn").mockReturnValue();

const delivery = signedDelivery({ event: paymentUpdated, secret, timestamp });
const inject = { method: "POST", headers: delivery.headers, payload: delivery.body } as const;

describe("the Fastify plugin", () => {
  it("leaves other routes their parsed bodies, whichever is registered first", async () => {
    const app = fastify();
    const echo = async (request: { body: unknown }) => ({ got: request.body });
    app.post("/before", echo);
    app.register(fastifyWebhooks, { webhooks: receiver() });
    app.post("/after", echo);
    for (const url of ["/before", "/after"]) {
      const response = await app.inject({ method: "POST", url, payload: { a: 1 } });
      expect(response.json()).toEqual({ got: { a: 1 } });
    }
    expect((await app.inject({ ...inject, url: "/webhooks" })).statusCode).toBe(200);
  });

  it("supports a path of its own and Fastify's prefix", async () => {
    const app = fastify();
    app.register(fastifyWebhooks, { webhooks: receiver(), path: "/payments", prefix: "/hooks" });
    expect((await app.inject({ ...inject, url: "/hooks/payments" })).statusCode).toBe(200);
    expect((await app.inject({ ...inject, url: "/webhooks" })).statusCode).toBe(404);
  });

  it("refuses to start without its Webhooks, or with a misspelt option", async () => {
    const start = async (options: object) =>
      fastify().register(fastifyWebhooks, options as FastifyWebhooksOptions);
    const webhooks = receiver();
    await expect(start({})).rejects.toThrow("The option webhooks must be a Webhooks instance.");
    await expect(start({ webhook: webhooks })).rejects.toThrow("Did you mean webhooks?");
    await expect(start({ webhooks, pth: "/hooks" })).rejects.toThrow("Did you mean path?");
    await start({ webhooks, logLevel: "warn", logSerializers: {}, prefix: "/api" });
  });

  it("can be registered for several endpoints with secrets of their own", async () => {
    const app = fastify();
    app.register(fastifyWebhooks, { webhooks: receiver(), path: "/a" });
    app.register(fastifyWebhooks, { webhooks: receiver({ secret: "another" }), path: "/b" });
    expect((await app.inject({ ...inject, url: "/a" })).statusCode).toBe(200);
    expect((await app.inject({ ...inject, url: "/b" })).statusCode).toBe(401);
  });

  it.each(["application/json", "application/json; charset=utf-8", "text/plain", undefined])(
    "verifies a body of the content type %s",
    async (contentType) => {
      const { "Content-Type": _, ...signed } = delivery.headers;
      const headers = contentType ? { ...signed, "content-type": contentType } : signed;
      const app = fastify();
      app.register(fastifyWebhooks, { webhooks: receiver() });
      const response = await app.inject({ ...inject, headers, url: "/webhooks" });
      expect(response.statusCode).toBe(200);
    },
  );

  it("uses the body limit of its Webhooks, not Fastify's", async () => {
    const app = fastify({ bodyLimit: 10 });
    app.register(fastifyWebhooks, { webhooks: receiver() });
    expect((await app.inject({ ...inject, url: "/webhooks" })).statusCode).toBe(200);
  });

  it("lets the application's hooks see the request and the response", async () => {
    const app = fastify();
    const onRequest = vi.fn(async () => undefined);
    const onResponse = vi.fn(async () => undefined);
    app.addHook("onRequest", onRequest).addHook("onResponse", onResponse);
    app.register(fastifyWebhooks, { webhooks: receiver() });
    await app.inject({ ...inject, url: "/webhooks" });
    expect(onRequest).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(onResponse).toHaveBeenCalledOnce());
  });
});
