import { fork } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { delivery } from "./deliveries.ts";

const connections = 4;
const chunk = "1\r\nx\r\n";
const chunksAtOnce = 4096;

/** The most that the receiver reads on each connection: a mebibyte of body. Sending it on all of them takes 24 MB. */
export const everyChunk = 1_048_576;

/**
 * Sends bodies in one-byte chunks on four connections and keeps them open. Returns the receiver's peak memory, in bytes
 * above its memory at rest.
 */
export async function memoryUnderAttack(chunks: number): Promise<number> {
  const child = fork(join(import.meta.dirname, "receiving-process.ts"));
  try {
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    child.send(connections * chunks * chunk.length);
    const measured = once(child, "message");
    const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1"));
    await Promise.all(sockets.map((socket) => send(socket, chunks)));
    const [{ restBytes, peakBytes }] = (await measured) as [Record<string, number>];
    for (const socket of sockets) socket.destroy();
    return Number(peakBytes) - Number(restBytes);
  } finally {
    child.disconnect();
  }
}

async function send(socket: Socket, chunks: number): Promise<void> {
  const lines = Object.entries({ ...delivery().headers, "transfer-encoding": "chunked" });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`POST /webhooks HTTP/1.1\r\nhost: shop.example\r\n${head}\r\n`);
  for (let sent = 0; sent < chunks; sent += chunksAtOnce) {
    if (!socket.write(chunk.repeat(chunksAtOnce))) await once(socket, "drain");
  }
}
