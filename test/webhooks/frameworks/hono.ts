import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { listening } from "../sites.ts";
import type { Framework } from "./framework.ts";

// Otherwise, hono would replace Request and Response for the worker's other test files, too.
const options = { overrideGlobalObjects: false };

export const hono4: Framework = {
  name: "Hono",
  serve(webhooks) {
    const app = new Hono();
    const handle = webhooks.fetchHandler();
    app.all("/webhooks", (context) => handle(context.req.raw));
    return listening(getRequestListener(app.fetch, options));
  },
  serveAfterParser(webhooks) {
    const app = new Hono();
    const handle = webhooks.fetchHandler();
    app.use(async (context, next) => {
      await context.req.json();
      await next();
    });
    app.all("/webhooks", (context) => handle(context.req.raw));
    return listening(getRequestListener(app.fetch, options));
  },
  cure: /Hono: call this before context\.req\.json\(\)/,
};
