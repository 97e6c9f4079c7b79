import { type FastifyInstance, fastify } from "fastify";
import { fastifyWebhooks } from "../../../src/webhooks/fastify/index.ts";
import { type Site, siteOf } from "../sites.ts";
import type { Framework } from "./framework.ts";

export const fastify5: Framework = {
  name: "Fastify 5",
  async serve(webhooks) {
    const app = fastify();
    app.register(fastifyWebhooks, { webhooks });
    return listen(app);
  },
  async serveAfterParser(webhooks) {
    const app = fastify();
    const handle = webhooks.nodeHandler();
    // Fastify parses the bodies of a route without the plugin.
    app.post("/webhooks", (request, reply) => {
      reply.hijack();
      return handle(request.raw, reply.raw);
    });
    return listen(app);
  },
  cure: /Fastify: register fastifyWebhooks/,
};

async function listen(app: FastifyInstance): Promise<Site> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  const site = siteOf(app.server);
  return {
    ...site,
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
