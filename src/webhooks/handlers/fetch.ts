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
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    return Promise.race([readStream(request, maxBodyBytes, signal), late]);
  };
}

/** Never cancels: some platforms then crash when more arrives, or reset the connection before the response was sent. */
async function readStream(request: Request, maxBodyBytes: number, signal: AbortSignal) {
  const reader = request.body?.getReader();
  const body = growingBody(maxBodyBytes);
  while (reader) {
    // A truncated body rejects, with a platform-specific error.
    const chunk = await reader.read().catch(() => undefined);
    if (chunk === undefined || signal.aborted) return undefined;
    if (chunk.done) break;
    body.add(chunk.value);
  }
  return body.bytes();
}
