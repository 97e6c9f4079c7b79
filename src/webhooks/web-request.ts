import { bodyAlreadyParsed } from "./body-check.ts";
import type { IncomingRequest } from "./delivery.ts";
import { concatenate } from "./raw-body.ts";

export function incomingRequest(request: Request): IncomingRequest {
  const { method, headers } = request;
  return { method, headers, readBody: (maxBodyBytes) => readRequestBody(request, maxBodyBytes) };
}

/** The body, or its beginning past the limit; undefined when it breaks off. */
async function readRequestBody(request: Request, maxBodyBytes: number) {
  if (request.bodyUsed || request.body?.locked) throw bodyAlreadyParsed();
  const chunks: Uint8Array[] = [];
  const reader = request.body?.getReader();
  for (let byteLength = 0; reader && byteLength <= maxBodyBytes; ) {
    // A body that breaks off rejects, with whatever the platform likes.
    const chunk = await reader.read().catch(() => undefined);
    if (chunk === undefined) return undefined;
    if (chunk.done) break;
    chunks.push(chunk.value);
    byteLength += chunk.value.length;
  }
  // Not waited for: the sender may never answer to it. It changes nothing where all was read.
  reader?.cancel().catch(() => undefined);
  return concatenate(chunks);
}
