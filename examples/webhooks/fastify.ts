import { fastify } from "fastify";
import { Webhooks } from "settlekit/webhooks";
import { fastifyWebhooks } from "settlekit/webhooks/fastify";

const webhooks = new Webhooks();
webhooks.on("payment.updated", ({ data }) => console.log(`order ${data.orderId}: ${data.status}`));

const app = fastify();

// Adds a route whose body Fastify does not parse. Other routes are not affected.
app.register(fastifyWebhooks, { webhooks, path: "/webhooks" });
app.post("/orders", async (request) => request.body);

await app.listen({ port: Number(process.env.PORT ?? 3000) });
export const { server } = app;
