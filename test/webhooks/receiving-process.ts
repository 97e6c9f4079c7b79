// Receives webhooks in a separate process, whose memory can be measured. Sends { port } to its parent, receives the
// number of bytes to expect, and sends { restBytes, peakBytes } once it has read them.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { receiver } from "./deliveries.ts";

const sockets = new Set<Socket>();
// No time limit: on a busy machine, the attack takes longer than the default one.
const webhooks = receiver({ onError: () => undefined, bodyTimeoutMs: 2 ** 31 - 1 });
const server = createServer(webhooks.nodeHandler()).listen(0, "127.0.0.1");
server.on("connection", (socket) => sockets.add(socket));
await once(server, "listening");
process.send?.({ port: (server.address() as AddressInfo).port });

const restBytes = process.memoryUsage.rss();
let peakBytes = restBytes;
let expectedBytes = Number.POSITIVE_INFINITY;
process.on("message", (bytes) => {
  expectedBytes = Number(bytes);
});
process.on("disconnect", () => process.exit());

const timer = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  const readBytes = [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  if (readBytes < expectedBytes) return;
  clearInterval(timer);
  process.send?.({ restBytes, peakBytes });
}, 10);
