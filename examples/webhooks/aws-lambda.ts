import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks();
webhooks.on("payment.updated", ({ data }) => console.log(`order ${data.orderId}: ${data.status}`));

// For API Gateway with payload format 1.0 or 2.0, function URLs and load balancers.
export const handler = webhooks.lambdaHandler();
