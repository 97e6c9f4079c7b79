import type { Receiver } from "./receiver.ts";
import { incomingRequest } from "./web-request.ts";

/** Takes a delivery and answers it, in the manner of Web servers and workers. */
export type FetchHandler = (request: Request) => Promise<Response>;

export function createFetchHandler(receiver: Receiver): FetchHandler {
  return async (request) => new Response(null, await receiver.receive(incomingRequest(request)));
}
