import { createServer } from "node:http";
import { Webhooks } from "settlekit/webhooks";

// The secret comes from SETTLEKIT_WEBHOOK_SECRET.
const webhooks = new Webhooks({ logger: console });

webhooks.on("payment.updated", async ({ data }) => {
  console.log(`order ${data.orderId}: ${data.status}`);
});

const receive = webhooks.nodeHandler();

export const server = createServer((request, response) => {
  if (request.url === "/webhooks") return receive(request, response);
  response.writeHead(404).end();
}).listen(Number(process.env.PORT ?? 3000));
