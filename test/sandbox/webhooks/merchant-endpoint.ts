import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Received {
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A merchant's endpoint on a real socket. `answer` returns the status for each request by index. */
export async function receiver(answer: (index: number) => number = () => 200) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ url: request.url, headers: request.headers, body });
    const status = answer(received.length - 1);
    response.writeHead(status, status === 307 ? { Location: "/elsewhere" } : {}).end("seen");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return {
    url,
    received,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Interface section 6, rule 1, implemented independently of src. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const signedText = `${headers["x-service-timestamp"]}.${body}`;
  const expected = createHmac("sha256", secret).update(signedText).digest("hex");
  return headers["x-service-signature"] === expected;
}

/** Each webhook's event, order and status. */
export const statusesSeen = (received: readonly Received[]) =>
  received.map(({ body }) => {
    const { event, data } = JSON.parse(body) as { event: string; data: Record<string, string> };
    return [event, data.orderId, data.status];
  });
