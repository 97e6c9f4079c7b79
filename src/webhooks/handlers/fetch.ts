import { bodyAlreadyParsed, GrowingBody } from "../body.ts";
import type { IncomingRequest, Receive } from "../delivery.ts";

/** Receives and answers a delivery, for Web servers and workers. */
export type FetchHandler = (request: Request) => Promise<Response>;

export function createFetchHandler(receive: Receive): FetchHandler {
  return async (request) => new Response(null, await receive(incomingRequest(request)));
}

export function incomingRequest(request: Request): IncomingRequest {
  const { method, headers } = request;
  return {
    method,
    headers,
    readBody: (maxBodyBytes, signal) => readRequestBody(request, maxBodyBytes, signal),
  };
}

/** Undefined when the sender disconnected. */
async function readRequestBody(request: Request, maxBodyBytes: number, signal: AbortSignal) {
  if (request.bodyUsed || request.body?.locked) throw bodyAlreadyParsed();
  const reader = request.body?.getReader();
  // Not awaited: the sender may never answer to it. It changes nothing where everything was read.
  const cancel = () => void reader?.cancel().catch(() => undefined);
  // Ends a read that waits.
  signal.addEventListener("abort", cancel);
  const body = new GrowingBody(maxBodyBytes);
  try {
    while (reader) {
      // A body that breaks off rejects, with whatever the platform likes.
      const chunk = await reader.read().catch(() => undefined);
      signal.throwIfAborted();
      if (chunk === undefined) return undefined;
      if (chunk.done) break;
      body.add(chunk.value);
    }
    return body.bytes;
  } finally {
    cancel();
  }
}
