import Koa from "koa";
import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks();
webhooks.on("payment.updated", ({ data }) => console.log(`order ${data.orderId}: ${data.status}`));

const receive = webhooks.nodeHandler();
const app = new Koa();

// Before any body parser, which discards the raw body.
app.use((context, next) => {
  return context.path === "/webhooks" ? receive(context.req, context.res) : next();
});

export const server = app.listen(Number(process.env.PORT ?? 3000));
