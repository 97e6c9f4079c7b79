// A shop that takes crypto payments, using only node:http and settlekit.
//
//   POST /orders?cents=2500   creates an order and redirects the customer to its payment page
//   GET  /orders/{orderId}    shows the order
//   POST /webhooks            receives the payment service's webhooks

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  InvalidRequestError,
  idempotencyKeyFrom,
  isFinal,
  isPaid,
  MerchantClient,
} from "settlekit";
import { Webhooks } from "settlekit/webhooks";

interface Order {
  readonly id: string;
  readonly amountInCents: number;
  state: "created" | "awaiting payment" | "paid" | "not paid";
  paymentId?: string;
}

interface ShopOptions {
  /** Default: a client that reads the service's URL and key from SETTLEKIT_* variables. */
  readonly client?: MerchantClient;
  readonly webhooks?: Webhooks;
  readonly log?: (line: string) => void;
}

/** Returns the shop's request listener. Orders are in memory: a real shop has a database. */
export function createShop(options: ShopOptions = {}) {
  const { client = new MerchantClient(), webhooks = new Webhooks(), log = console.log } = options;
  const orders = new Map<string, Order>();

  async function createOrder(url: URL, response: ServerResponse): Promise<void> {
    const amountInCents = Number(url.searchParams.get("cents"));
    const order: Order = { id: `order_${randomUUID()}`, amountInCents, state: "created" };
    orders.set(order.id, order);
    // The key is derived from the order, so that the call can be repeated after a crash.
    const { paymentId, paymentUrl } = await client.payments.create(
      { amount: amountInCents, orderId: order.id },
      { idempotencyKey: idempotencyKeyFrom("order", order.id) },
    );
    order.paymentId = paymentId;
    order.state = "awaiting payment";
    response.writeHead(303, { location: paymentUrl, "x-order-id": order.id }).end();
  }

  webhooks.on("payment.created", () => log("webhook verified: payment created"));

  // Webhooks can arrive twice and out of order, so fetch the payment's current status from the service.
  webhooks.on("payment.updated", async ({ data, timestamp }) => {
    const order = orders.get(data.orderId ?? "");
    // An error makes the handler return 500, so that the service delivers the webhook again.
    if (!order?.paymentId) throw new Error(`no payment is known for order ${data.orderId}`);
    const ageSeconds = ((Date.now() - timestamp.getTime()) / 1000).toFixed(1);
    log(`webhook verified: HMAC-SHA256 signature, ${ageSeconds} s old; payment ${data.status}`);

    const payment = await client.payments.get(order.paymentId);
    const matches = payment.orderId === order.id && payment.amountInCents === order.amountInCents;
    if (!matches || order.state === "paid") return;
    if (isPaid(payment.status)) order.state = "paid";
    else if (isFinal(payment.status)) order.state = "not paid";
    log(`order is now ${order.state}`);
  });
  const receiveWebhook = webhooks.nodeHandler();

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const url = new URL(`http://shop${request.url}`);
      const route = `${request.method} ${url.pathname}`;
      if (url.pathname === "/webhooks") return await receiveWebhook(request, response);
      if (route === "POST /orders") return await createOrder(url, response);
      const order = orders.get(route.replace("GET /orders/", ""));
      response.writeHead(order ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(order ?? { message: "There is no such order." }));
    } catch (error) {
      log(String(error));
      if (InvalidRequestError.is(error)) return void response.writeHead(400).end(error.message);
      response.writeHead(500).end("Something went wrong. Nothing was charged; please try again.");
    }
  };
}

if (process.argv[1] === import.meta.filename) {
  createServer(createShop()).listen(3000, "127.0.0.1", () => {
    console.log("The shop is open: curl -i -X POST 'http://127.0.0.1:3000/orders?cents=2500'");
  });
}
