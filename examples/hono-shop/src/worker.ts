import { MerchantClient } from "settlekit";
import { createApp } from "./app.ts";
import { type D1, openD1 } from "./d1-database.ts";
import { Orders } from "./orders.ts";
import { receivePayments } from "./receive-payments.ts";

interface Environment {
  readonly DATABASE: D1;
  readonly PUBLIC_URL: string;
  readonly SETTLEKIT_WEBHOOK_SECRET: string;
}

let app: ReturnType<typeof createApp> | undefined;

export default {
  fetch(request: Request, environment: Environment): Response | Promise<Response> {
    // Created once: an isolate serves many requests with the same bindings.
    app ??= open(environment);
    return app.fetch(request);
  },
};

/** The client reads SETTLEKIT_* from process.env, which Workers fill from their bindings. */
function open({ DATABASE, PUBLIC_URL, SETTLEKIT_WEBHOOK_SECRET }: Environment) {
  const orders = new Orders(openD1(DATABASE));
  const client = new MerchantClient({ logger: { warn: console.warn, error: console.error } });
  const webhooks = receivePayments(client, orders, SETTLEKIT_WEBHOOK_SECRET);
  return createApp({ client, webhooks, orders, publicUrl: PUBLIC_URL });
}
