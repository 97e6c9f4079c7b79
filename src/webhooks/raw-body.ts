/** The request's body exactly as it was received. */
export type WebhookBody = string | Uint8Array | ArrayBuffer;

/** A body in one of the two forms that everything here works on. */
export type RawBody = string | Uint8Array;

const encoder = /* @__PURE__ */ new TextEncoder();
// The byte order mark is kept, so that encoding the text again gives the same bytes.
const strictDecoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Undefined when the value is no raw body, for example because it was parsed already. */
export function asRawBody(value: unknown): RawBody | undefined {
  if (typeof value === "string" || value instanceof Uint8Array) return value;
  // Not by instanceof: test runners give each file its own ArrayBuffer.
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  if (isArrayBuffer(value)) return new Uint8Array(value);
  return undefined;
}

function isArrayBuffer(value: unknown): value is ArrayBuffer {
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]";
}

export function toBytes(body: string): Uint8Array<ArrayBuffer>;
export function toBytes(body: RawBody): Uint8Array;
export function toBytes(body: RawBody): Uint8Array {
  return typeof body === "string" ? encoder.encode(body) : body;
}

/** Throws a TypeError for bytes that are not UTF-8. */
export function toText(body: RawBody): string {
  if (typeof body !== "string") return strictDecoder.decode(body);
  // What is signed of a lone surrogate is U+FFFD.
  return body.toWellFormed();
}

export function concatenate(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
