// Serves the built page, opens payments for it, and ships when the webhook arrives.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { idempotencyKeyFrom, isPaid, MerchantClient } from "settlekit";
import { Webhooks } from "settlekit/webhooks";

const built = resolve(import.meta.dirname, "../dist");
const types: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript" };
const client = new MerchantClient();
const webhooks = new Webhooks();
const receive = webhooks.nodeHandler();

webhooks.on("payment.updated", async ({ data }) => {
  // The event may be old, and often contains only the order id, so fetch the current status from the service.
  const payments = data.id
    ? [await client.payments.get(data.id)]
    : await client.payments.findByOrderId(data.orderId ?? "");
  // An error makes the handler return 500, so that the service delivers the event again.
  if (payments.length === 0) throw new Error(`The order ${data.orderId} has no payment yet.`);
  // In production, record shipments in your database, because webhooks repeat.
  if (payments.some(({ status }) => isPaid(status))) console.log(`Ship ${payments[0]?.orderId}.`);
});

const server = createServer(async (request, response) => {
  try {
    const { pathname } = new URL(request.url ?? "/", "http://shop.invalid");
    if (pathname === "/webhooks") return void receive(request, response);
    const [, orderId] = /^\/payments\/(order_[0-9a-f-]{36})$/.exec(pathname) ?? [];
    if (orderId && request.method === "POST") {
      // Derived from the order, so that a reload opens the same payment.
      const idempotencyKey = idempotencyKeyFrom("order", orderId);
      const created = await client.payments.create({ amount: 2500, orderId }, { idempotencyKey });
      const { paymentId, secret } = created;
      response.setHeader("Content-Type", "application/json");
      return void response.end(JSON.stringify({ paymentId, secret, baseUrl: client.baseUrl }));
    }
    const file = join(built, pathname === "/" ? "index.html" : pathname);
    response.setHeader("Content-Type", types[extname(file)] ?? "application/octet-stream");
    const { origin } = new URL(client.baseUrl);
    response.setHeader(
      "Content-Security-Policy",
      `default-src 'self'; connect-src 'self' ${origin}`,
    );
    response.end(await readFile(file));
  } catch (error) {
    // A path such as // is no URL.
    const isMissing = /^(ENOENT|ERR_INVALID_URL)$/.test((error as { code?: string }).code ?? "");
    if (!isMissing) console.error(error);
    response.writeHead(isMissing ? 404 : 503).end("Please try again.");
  }
});

const port = Number(process.env.PORT ?? 3000);
server.listen(port, "127.0.0.1", () => console.log(`The shop is open: http://127.0.0.1:${port}`));
