import { json } from "node:stream/consumers";
import { listening } from "../sites.ts";
import type { Framework } from "./framework.ts";

export const nodeHttp: Framework = {
  name: "node:http",
  serve: (webhooks) => listening(webhooks.nodeHandler()),
  serveAfterParser(webhooks) {
    const handle = webhooks.nodeHandler();
    return listening(async (request, response) => {
      await handle(Object.assign(request, { body: await json(request) }), response);
    });
  },
  cure: /verify before anything else reads it/,
};
