// pages/api/webhooks.ts
import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks({
  // A function, because `next build` loads this file where there is no secret.
  secret: () => process.env.SETTLEKIT_WEBHOOK_SECRET ?? "",
  logger: console,
});

webhooks.on("payment.updated", async ({ data }) => {
  console.log(`order ${data.orderId}: ${data.status}`);
});

// Next.js would parse the body, and the raw one would be gone.
export const config = { api: { bodyParser: false } };

export default webhooks.nodeHandler();
