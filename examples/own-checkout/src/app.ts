import { join } from "node:path";
import express, { type ErrorRequestHandler, type Express } from "express";
import { type MerchantClient, SettlekitError } from "settlekit";
import type { Webhooks } from "settlekit/webhooks";
import { findProduct, products } from "./catalogue.ts";
import { cataloguePage } from "./catalogue-page.ts";
import type { Orders } from "./orders.ts";
import { startPayment } from "./start-payment.ts";

interface Shop {
  readonly client: MerchantClient;
  readonly webhooks: Webhooks;
  readonly orders: Orders;
}

const publicFolder = join(import.meta.dirname, "../public");

export function createApp({ client, webhooks, orders }: Shop): Express {
  const app = express();

  // Before any body parser, because the signature covers the raw bytes.
  app.all("/webhooks", webhooks.nodeHandler());
  app.use(express.urlencoded({ extended: false }));

  // The payment page runs only its own script, and connects only to the shop and the service.
  app.use((_request, response, next) => {
    const policy = `default-src 'self'; connect-src 'self' ${new URL(client.baseUrl).origin}; frame-ancestors 'none'`;
    response.set({ "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer" });
    next();
  });
  app.use(express.static(publicFolder));

  app.get("/health", (_request, response) => void response.send("ok"));

  app.get("/", (_request, response) => void response.send(cataloguePage(products)));

  app.post("/orders", (request, response) => {
    const product = findProduct(request.body?.sku);
    if (product === undefined) return void response.status(404).send("There is no such product.");
    response.redirect(303, `/orders/${orders.place(product).id}`);
  });

  app.get("/orders/:id", (request, response) => {
    const order = orders.find(request.params.id);
    if (order === undefined) return void response.status(404).send("There is no such order.");
    response.sendFile(join(publicFolder, "checkout.html"));
  });

  // The order's id is unguessable, and anyone who knows it may pay. A shop with accounts checks here that the
  // order belongs to this customer.
  app.post("/orders/:id/payment", async (request, response) => {
    const order = orders.find(request.params.id);
    if (order === undefined) return void response.status(404).json({ problem: "no such order" });
    const { product, amountInCents, state } = order;
    const payment =
      state === "awaiting payment" ? await startPayment(order, { client, orders }) : null;
    response.set("Cache-Control", "no-store");
    response.json({ product, amountInCents, state, baseUrl: client.baseUrl, payment });
  });

  app.use(onFailure);
  return app;
}

// Express recognises an error handler by its four parameters.
const onFailure: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  // Express sets a 4xx status on errors that a request caused.
  const status = SettlekitError.is(error) ? 503 : ((error as { status?: number }).status ?? 500);
  // The error says what happened and what to do, and never contains a secret.
  if (status >= 500) console.error(error);
  response.status(status).json({ problem: "please try again" });
};
