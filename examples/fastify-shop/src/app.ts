import { type FastifyError, type FastifyInstance, type FastifyReply, fastify } from "fastify";
import { type MerchantClient, SettlekitError } from "settlekit";
import type { Webhooks } from "settlekit/webhooks";
import { fastifyWebhooks } from "settlekit/webhooks/fastify";
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

export function createApp(shop: Shop): FastifyInstance {
  const { orders, webhooks } = shop;
  const app = fastify({ logger: { level: "warn" } });

  // Adds a route with an unparsed body, because the signature covers the raw bytes.
  app.register(fastifyWebhooks, { webhooks, path: "/webhooks" });
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string" },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );

  app.get("/health", async () => "ok");

  app.get("/", (_request, reply) => html(reply, 200, pages.catalogue(products)));

  app.post<{ Body?: { sku?: string } }>("/orders", async (request, reply) => {
    const product = findProduct(request.body?.sku);
    if (product === undefined) return html(reply, 404, pages.notFound());
    return sendToPayment(orders.place(product), reply);
  });

  app.get<{ Params: { id: string } }>("/orders/:id", (request, reply) => {
    const order = orders.find(request.params.id);
    if (order === undefined) return html(reply, 404, pages.notFound());
    return html(reply, 200, pages.orderStatus(order));
  });

  app.post<{ Params: { id: string } }>("/orders/:id/payment", async (request, reply) => {
    const order = orders.find(request.params.id);
    if (order === undefined) return html(reply, 404, pages.notFound());
    return sendToPayment(order, reply);
  });

  app.setNotFoundHandler((_request, reply) => html(reply, 404, pages.notFound()));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // Fastify sets a 4xx status on errors that a request caused.
    const { statusCode = 500 } = error;
    if (statusCode >= 500) request.log.error(error);
    return html(reply, statusCode, pages.failure());
  });

  async function sendToPayment(order: Order, reply: FastifyReply): Promise<FastifyReply> {
    try {
      return reply.redirect(await startPayment(order, shop), 303);
    } catch (error) {
      if (!SettlekitError.is(error)) throw error;
      // The error says what happened and what to do, and never contains a secret.
      reply.log.error(error);
      return html(reply, 503, pages.paymentNotStarted(order));
    }
  }

  return app;
}

function html(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.status(status).type("text/html; charset=utf-8").send(page);
}
