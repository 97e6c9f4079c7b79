import { WebhookVerificationError } from "../errors.ts";

/** The request's body exactly as it was received. */
export type WebhookBody = string | Uint8Array | ArrayBuffer;

/** A body in one of the two forms used internally. */
export type RawBody = string | Uint8Array;

export const encoder = /* @__PURE__ */ new TextEncoder();

/** Undefined for anything but a raw body, for example one that was already parsed. */
export function asRawBody(value: unknown): RawBody | undefined {
  if (typeof value === "string" || value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  // Not instanceof: test runners give each file its own ArrayBuffer.
  const isBuffer = Object.prototype.toString.call(value) === "[object ArrayBuffer]";
  return isBuffer ? new Uint8Array(value as ArrayBuffer) : undefined;
}

export function toBytes(body: RawBody): Uint8Array {
  return typeof body === "string" ? encoder.encode(body) : body;
}

/** A body that is still being read, in one buffer, so that tiny chunks take no extra memory. */
export function growingBody(maxBytes: number) {
  let buffer = new Uint8Array(1024);
  let length = 0;
  return {
    add(chunk: RawBody): void {
      const bytes = toBytes(chunk);
      const end = length + bytes.length;
      if (end > maxBytes) throw bodyTooLarge(maxBytes);
      const size = Math.max(end, Math.min(2 * buffer.length, maxBytes));
      if (end > buffer.length) buffer = new Uint8Array(buffer.buffer.transfer(size));
      buffer.set(bytes, length);
      length = end;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

/** Throws if the body is no longer raw, or is larger than the limit. */
export function checkedBody(value: unknown, maxBodyBytes: number): RawBody {
  if (value === undefined || value === null) {
    const message = "There is no body. Pass the raw bytes, or let nodeHandler() read them.";
    throw new WebhookVerificationError("body_already_parsed", message);
  }
  const body = asRawBody(value);
  if (body === undefined) {
    const fact = `The body is of type ${typeof value}, not a string or bytes.`;
    throw bodyAlreadyParsed(nodeCures, fact);
  }
  // A character takes at most three bytes, so most texts need not be encoded to check their size.
  const bytes = body.length * 3 > maxBodyBytes ? toBytes(body) : body;
  if (bytes.length > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  return body;
}

function bodyTooLarge(maxBodyBytes: number): WebhookVerificationError {
  return new WebhookVerificationError(
    "body_too_large",
    `The body is larger than maxBodyBytes, ${maxBodyBytes}. Raise it if the service sent this.`,
  );
}

const nodeCures =
  "Express: mount this before express.json(). Next.js: export const config = { api: { bodyParser: " +
  "false } }. NestJS: NestFactory.create(AppModule, { rawBody: true }). Koa: mount this before " +
  "the body parser. Fastify: register fastifyWebhooks. Hapi: payload: { parse: false, output: " +
  '"stream" }. Vercel functions: use fetchHandler().';

/** The error for a body whose exact bytes are lost, with the line to change in each framework. */
export function bodyAlreadyParsed(cure = nodeCures, fact = "The body was already read or parsed.") {
  return new WebhookVerificationError(
    "body_already_parsed",
    `${fact} The signature covers its exact bytes: verify before anything else reads it. ${cure}`,
  );
}
