// pages/api/webhooks.ts
import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks({
  // A function, because `next build` loads this file without the secret.
  secret: () => process.env.SETTLEKIT_WEBHOOK_SECRET ?? "",
});
webhooks.on("payment.updated", ({ data }) => console.log(`order ${data.orderId}: ${data.status}`));

// Otherwise Next.js parses the body and discards the raw one.
export const config = { api: { bodyParser: false } };

export default webhooks.nodeHandler();
