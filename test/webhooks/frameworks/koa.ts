import { json } from "node:stream/consumers";
import Koa from "koa";
import type { Webhooks } from "../../../src/webhooks/index.ts";
import { listening } from "../sites.ts";
import type { Framework } from "./framework.ts";

export const koa3: Framework = {
  name: "Koa 3",
  async serve(webhooks) {
    const app = new Koa();
    // Koa prints every broken connection.
    app.silent = true;
    app.use(route(webhooks));
    app.use(bodyParser);
    return listening(app.callback());
  },
  async serveAfterParser(webhooks) {
    const app = new Koa();
    app.use(bodyParser);
    app.use(route(webhooks));
    return listening(app.callback());
  },
  cure: /Koa: mount this before the body parser/,
};

function route(webhooks: Webhooks): Koa.Middleware {
  const handle = webhooks.nodeHandler();
  return (context, next) => {
    return context.path === "/webhooks" ? handle(context.req, context.res) : next();
  };
}

/** Like the usual parsers for Koa, which leave nothing on Node's own request. */
const bodyParser: Koa.Middleware = async (context, next) => {
  Object.assign(context.request, { body: await json(context.req) });
  await next();
};
