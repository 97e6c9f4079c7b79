import Koa from "koa";
import { Webhooks } from "settlekit/webhooks";

// The secret comes from SETTLEKIT_WEBHOOK_SECRET.
const webhooks = new Webhooks({ logger: console });

webhooks.on("payment.updated", async ({ data }) => {
  console.log(`order ${data.orderId}: ${data.status}`);
});

const receive = webhooks.nodeHandler();
const app = new Koa();

// Before any body parser, which would take the raw body away.
app.use((context, next) => {
  return context.path === "/webhooks" ? receive(context.req, context.res) : next();
});

export const server = app.listen(Number(process.env.PORT ?? 3000));
