import { bodyAlreadyParsed, growingBody } from "../body.ts";
import type { ReadBody, Receive } from "../delivery.ts";

/** Receives deliveries and responds, for Web servers and workers. */
export type FetchHandler = (request: Request) => Promise<Response>;

export function createFetchHandler(receive: Receive): FetchHandler {
  return async (request) => {
    const { status, headers } = await receive(request, bodyReader(request));
    const isUnread = request.body && !request.bodyUsed;
    // Node cannot reuse the connection after a body that was not read to its end. Other platforms manage it themselves.
    if (isUnread || status === 413 || status === 408) headers.Connection = "close";
    return new Response(null, { status, headers });
  };
}

const cure =
  "Hono: call this before context.req.json(). Next.js and other Web servers: before request.json().";

export function bodyReader(request: Request): ReadBody {
  return async (maxBodyBytes, signal) => {
    if (request.bodyUsed || request.body?.locked) throw bodyAlreadyParsed(cure);
    const reader = request.body?.getReader();
    // Not awaited: the sender may never react. Harmless once everything is read.
    const cancel = () => void reader?.cancel().catch(() => undefined);
    // Ends a pending read.
    signal.addEventListener("abort", cancel);
    const body = growingBody(maxBodyBytes);
    try {
      while (reader) {
        // A truncated body rejects, with a platform-specific error.
        const chunk = await reader.read().catch(() => undefined);
        signal.throwIfAborted();
        if (chunk === undefined) return undefined;
        if (chunk.done) break;
        body.add(chunk.value);
      }
      return body.bytes();
    } finally {
      cancel();
    }
  };
}
