import { createServer } from "node:http";
import { Webhooks } from "settlekit/webhooks";

const webhooks = new Webhooks();
webhooks.on("payment.updated", ({ data }) => console.log(`order ${data.orderId}: ${data.status}`));

const receive = webhooks.nodeHandler();

export const server = createServer((request, response) => {
  if (request.url === "/webhooks") return receive(request, response);
  response.writeHead(404).end();
}).listen(Number(process.env.PORT ?? 3000));
