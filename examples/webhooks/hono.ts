import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks();
webhooks.on("payment.updated", ({ data }) => console.log(`order ${data.orderId}: ${data.status}`));

const receive = webhooks.fetchHandler();
const app = new Hono();

app.all("/webhooks", (context) => receive(context.req.raw));
app.post("/orders", async (context) => context.json(await context.req.json()));

export const server = serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
