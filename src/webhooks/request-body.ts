import { BodyBuffer, type BodySource, bodyAlreadyParsed } from "./body-source.ts";

/** The body of a Web Request, still to be read. */
export function requestBody(request: Request): BodySource {
  if (request.bodyUsed || request.body?.locked) {
    throw bodyAlreadyParsed(
      "The Request's body was read before.",
      "Verify first, and take the body from the webhook.",
    );
  }
  return (maxBodyBytes) => readBody(request.body, maxBodyBytes);
}

async function readBody(stream: Request["body"], maxBodyBytes: number) {
  const buffer = new BodyBuffer(maxBodyBytes);
  if (stream === null) return buffer.bytes();
  const reader = stream.getReader();
  for (;;) {
    // A body that breaks off rejects, with whatever the platform likes.
    const { done, value } = await reader.read().catch(() => ({ done: false, value: undefined }));
    if (done) return buffer.bytes();
    if (value === undefined) return undefined;
    try {
      buffer.add(value);
    } catch (error) {
      // Not waited for: the sender may never answer to it.
      reader.cancel().catch(() => undefined);
      throw error;
    }
  }
}
