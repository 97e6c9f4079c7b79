import { WebhookVerificationError } from "../errors/webhook-verification-error.ts";
import { concatenate, type RawBody, toBytes } from "./raw-body.ts";

/**
 * A body that is at hand, or the way to read one within a limit. Reading gives undefined when the
 * sender went away half-way.
 */
export type BodySource = RawBody | ((maxBodyBytes: number) => Promise<RawBody | undefined>);

/** Gathers a body chunk by chunk, within a limit. */
export class BodyBuffer {
  readonly #maxBodyBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #byteLength = 0;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Throws `body_too_large` once the limit is passed. */
  add(chunk: RawBody): void {
    const bytes = toBytes(chunk);
    this.#byteLength += bytes.length;
    if (this.#byteLength > this.#maxBodyBytes) throw bodyTooLarge(this.#maxBodyBytes);
    this.#chunks.push(bytes);
  }

  bytes(): Uint8Array {
    return concatenate(this.#chunks);
  }
}

export function checkSize(body: RawBody, maxBodyBytes: number): void {
  // A character takes at most three bytes, so most texts need no encoding to be measured.
  const mayBeLarger = typeof body === "string" && body.length * 3 > maxBodyBytes;
  const byteLength = mayBeLarger ? toBytes(body).length : body.length;
  if (byteLength > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
}

function bodyTooLarge(maxBodyBytes: number): WebhookVerificationError {
  return new WebhookVerificationError(
    "body_too_large",
    `The body is larger than maxBodyBytes, ${maxBodyBytes}. Raise it if the service sent this.`,
  );
}

const linesToChange =
  "Express: mount this route before express.json(), or give it express.raw({ type: " +
  '"application/json" }). Next.js: export const config = { api: { bodyParser: false } }. NestJS: ' +
  "NestFactory.create(AppModule, { rawBody: true }). Koa: mount this before the body parser. " +
  "Elsewhere: hand over the raw body.";

/** The refusal of a body whose exact bytes are gone. */
export function bodyAlreadyParsed(fact: string, cure = linesToChange): WebhookVerificationError {
  return new WebhookVerificationError(
    "body_already_parsed",
    `${fact} The signature covers its exact bytes. ${cure}`,
  );
}
