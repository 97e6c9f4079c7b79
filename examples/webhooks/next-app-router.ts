// app/webhooks/route.ts
import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks({
  // A function, because `next build` loads this file without the secret.
  secret: () => process.env.SETTLEKIT_WEBHOOK_SECRET ?? "",
});
webhooks.on("payment.updated", ({ data }) => console.log(`order ${data.orderId}: ${data.status}`));

export const POST = webhooks.fetchHandler();
