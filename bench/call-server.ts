// Answers every request with the same payment. A process of its own, so that its work is not counted as
// a client's; it writes its port to its parent, and ends with it.
import { createServer } from "node:http";
import { createdPayment } from "./payment-answer.ts";

const answer = Buffer.from(JSON.stringify(createdPayment));
const headers = { "content-type": "application/json", "content-length": answer.length };

const server = createServer((request, response) => {
  request.resume().once("end", () => response.writeHead(201, headers).end(answer));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.(address?.port);
});
process.once("disconnect", () => process.exit());
