import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Serves a value that all test files share. It is made in vitest's own process when the first of them requests it. */
export async function onDemand(make: () => Promise<string>) {
  let making: Promise<string> | undefined;
  const server = createServer(async (_, response) => {
    try {
      making ??= make();
      response.end(await making);
    } catch (error) {
      response.writeHead(503).end(String(error));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Waits for a value that is still being made. */
    async close() {
      server.close();
      await making?.catch(() => undefined);
    },
  };
}

/** Requests the value from `onDemand`. Rejects with the reason if it could not be made. */
export function demanded(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, async (response) => {
      const body = await text(response);
      if (response.statusCode === 200) resolve(body);
      else reject(new Error(body));
    }).on("error", reject);
  });
}
