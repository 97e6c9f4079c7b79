import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Each worker of a run has other ports, because its servers may take long to start. */
const workers = 20;
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % workers;
const given = new Set<number>();

/**
 * A free port for servers that must know theirs in advance. It is below the ephemeral ports, so that no other test gets
 * it before the server listens.
 */
export async function freePort(): Promise<number> {
  const port = 10_000 + workers * randomInt(1_000) + worker;
  if (given.has(port)) return freePort();
  given.add(port);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return freePort();
  }
  server.close();
  await once(server, "close");
  return port;
}
