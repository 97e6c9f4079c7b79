import express, { type ErrorRequestHandler, type Express, type Response } from "express";
import { type MerchantClient, SettlekitError } from "settlekit";
import type { Webhooks } from "settlekit/webhooks";
import { findProduct, products } from "./catalogue.ts";
import type { Order, Orders } from "./orders.ts";
import * as pages from "./pages.ts";
import { startPayment } from "./start-payment.ts";

interface Shop {
  readonly client: MerchantClient;
  readonly webhooks: Webhooks;
  readonly orders: Orders;
  readonly publicUrl: string;
}

export function createApp(shop: Shop): Express {
  const { orders, webhooks } = shop;
  const app = express();

  // Before any body parser, because the signature covers the raw bytes.
  app.all("/webhooks", webhooks.nodeHandler());
  app.use(express.urlencoded({ extended: false }));

  app.get("/health", (_request, response) => void response.send("ok"));

  app.get("/", (_request, response) => void response.send(pages.catalogue(products)));

  app.post("/orders", async (request, response) => {
    const product = findProduct(request.body?.sku);
    if (product === undefined) return void response.status(404).send(pages.notFound());
    await sendToPayment(orders.place(product), response);
  });

  app.get("/orders/:id", (request, response) => {
    const order = orders.find(request.params.id);
    if (order === undefined) return void response.status(404).send(pages.notFound());
    response.send(pages.orderStatus(order));
  });

  app.post("/orders/:id/payment", async (request, response) => {
    const order = orders.find(request.params.id);
    if (order === undefined) return void response.status(404).send(pages.notFound());
    await sendToPayment(order, response);
  });

  app.use((_request, response) => void response.status(404).send(pages.notFound()));
  app.use(onFailure);

  async function sendToPayment(order: Order, response: Response): Promise<void> {
    try {
      response.redirect(303, await startPayment(order, shop));
    } catch (error) {
      if (!SettlekitError.is(error)) throw error;
      // The error says what happened and what to do, and never contains a secret.
      console.error(error);
      response.status(503).send(pages.paymentNotStarted(order));
    }
  }

  return app;
}

// Express recognises an error handler by its four parameters.
const onFailure: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  // Express sets a 4xx status on errors that a request caused.
  const { status = 500 } = error as { status?: number };
  if (status >= 500) console.error(error);
  response.status(status).send(pages.failure());
};
