import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { listening } from "../sites.ts";
import type { Framework } from "./framework.ts";

type FetchHandler = (request: Request) => Promise<Response>;

/** Next's app router, Bun, Deno and workers: a real Request whose body is read from the socket. */
export const webFetch: Framework = {
  name: "a Web fetch handler",
  serve: (webhooks) => listening(overSocket(webhooks.fetchHandler())),
  serveAfterParser(webhooks) {
    const handle = webhooks.fetchHandler();
    return listening(
      overSocket(async (request) => {
        await request.json();
        return handle(request);
      }),
    );
  },
  cure: /Next\.js and other Web servers: before request\.json\(\)/,
};

function overSocket(handle: FetchHandler) {
  return async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: new Headers(incoming.headers as Record<string, string>),
      ...(hasBody && { body: Readable.toWeb(incoming) as BodyInit, duplex: "half" }),
    });
    const response = await handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  };
}
