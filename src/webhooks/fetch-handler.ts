import type { Receiver } from "./receiver.ts";
import { requestBody } from "./request-body.ts";

/** Takes a delivery and answers it, in the manner of Web servers and workers. */
export type FetchHandler = (request: Request) => Promise<Response>;

export function createFetchHandler(receiver: Receiver): FetchHandler {
  return async (request) => {
    const { method, headers } = request;
    const answer = await receiver.receive({ method, headers, body: () => requestBody(request) });
    // A sender that went away sees no answer, but a fetch handler has to return one.
    const status = answer ?? 400;
    return new Response(null, { status, headers: status === 405 ? { Allow: "POST" } : {} });
  };
}
