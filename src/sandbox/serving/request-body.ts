/** What the sandbox reads of a request at most, in bytes. */
export const maxBodyBytes = 1_048_576;

/**
 * A request's body as text, or `undefined` when it is larger than `maxBytes`. Never holds more than
 * that in memory, whatever the request announces.
 */
export async function readBodyText(
  request: Request,
  maxBytes: number = maxBodyBytes,
): Promise<string | undefined> {
  const announced = request.headers.get("content-length");
  if (announced === null) return readStream(request, maxBytes);
  if (Number(announced) > maxBytes) {
    // Not read at all: whoever carries the request disposes of the rest.
    return undefined;
  }
  const text = await request.text();
  // Over a socket the length was enforced; a request made in process may claim anything.
  return Buffer.byteLength(text) > maxBytes ? undefined : text;
}

async function readStream(request: Request, maxBytes: number): Promise<string | undefined> {
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  // Leaving the loop cancels the rest of the stream.
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
