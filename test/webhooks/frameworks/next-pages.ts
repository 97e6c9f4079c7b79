import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import type { NodeHandler } from "../../../src/webhooks/index.ts";
import { listening } from "../sites.ts";
import type { Framework } from "./framework.ts";

/** What a file under pages/api exports. */
interface ApiRoute {
  readonly default: NodeHandler;
  readonly config?: { readonly api: { readonly bodyParser: boolean } };
}

export const nextPages: Framework = {
  name: "Next's pages API",
  serve: (webhooks) =>
    listening(
      apiResolver({ default: webhooks.nodeHandler(), config: { api: { bodyParser: false } } }),
    ),
  serveAfterParser: (webhooks) => listening(apiResolver({ default: webhooks.nodeHandler() })),
  cure: /Next\.js: export const config = \{ api: \{ bodyParser: false \} \}/,
};

/** Calls a route as Next does: Node's own objects, with the parsed body on the request unless disabled. */
function apiResolver({ default: route, config }: ApiRoute) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const query = Object.fromEntries(new URL(request.url ?? "/", "http://next").searchParams);
    const apiRequest = Object.assign(request, { query, cookies: {}, body: undefined as unknown });
    const apiResponse = Object.assign(response, {
      status: (statusCode: number) => Object.assign(response, { statusCode }),
      json: (value: unknown) => response.end(JSON.stringify(value)),
      send: (value: string) => response.end(value),
    });
    if (config?.api.bodyParser !== false) apiRequest.body = await json(request);
    await route(apiRequest, apiResponse);
  };
}
