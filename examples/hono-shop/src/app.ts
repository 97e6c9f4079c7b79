import { type Context, Hono } from "hono";
import { type MerchantClient, SettlekitError } from "settlekit";
import type { Webhooks } from "settlekit/webhooks";
import { findProduct, products } from "./catalogue.ts";
import type { Order, Orders } from "./orders.ts";
import * as pages from "./pages.ts";
import { startPayment } from "./start-payment.ts";

export interface Shop {
  readonly client: MerchantClient;
  readonly webhooks: Webhooks;
  readonly orders: Orders;
  readonly publicUrl: string;
}

/** The shop itself. node.ts and worker.ts serve it. */
export function createApp(shop: Shop): Hono {
  const { orders, webhooks } = shop;
  const receiveWebhook = webhooks.fetchHandler();
  const app = new Hono();

  // The raw request, because the signature covers the raw bytes.
  app.all("/webhooks", (context) => receiveWebhook(context.req.raw));

  app.get("/health", (context) => context.text("ok"));

  app.get("/", (context) => context.html(pages.catalogue(products)));

  app.post("/orders", async (context) => {
    const form = await context.req.parseBody().catch(() => undefined);
    const product = findProduct(form?.sku);
    if (product === undefined) return context.notFound();
    return sendToPayment(await orders.place(product), context);
  });

  app.get("/orders/:id", async (context) => {
    const order = await orders.find(context.req.param("id"));
    return order ? context.html(pages.orderStatus(order)) : context.notFound();
  });

  app.post("/orders/:id/payment", async (context) => {
    const order = await orders.find(context.req.param("id"));
    return order ? sendToPayment(order, context) : context.notFound();
  });

  app.notFound((context) => context.html(pages.notFound(), 404));
  app.onError((error, context) => {
    console.error(error);
    return context.html(pages.failure(), 500);
  });

  async function sendToPayment(order: Order, context: Context): Promise<Response> {
    try {
      return context.redirect(await startPayment(order, shop), 303);
    } catch (error) {
      if (!SettlekitError.is(error)) throw error;
      // The error says what happened and what to do, and never contains a secret.
      console.error(error);
      return context.html(pages.paymentNotStarted(order), 503);
    }
  }

  return app;
}
