import { WebhookVerificationError } from "../errors.ts";
import { asRawBody, type RawBody, toBytes } from "./raw-body.ts";

/** A body as far as it may be verified. Throws when it is none any more, or too large. */
export function checkedBody(value: unknown, maxBodyBytes: number): RawBody {
  const body = asRawBody(value);
  if (body === undefined) {
    throw bodyAlreadyParsed(`The body is of type ${typeof value}, not text or bytes.`);
  }
  // A character takes at most three bytes, so most texts need no encoding to be measured.
  const bytes = body.length * 3 > maxBodyBytes ? toBytes(body) : body;
  if (bytes.length > maxBodyBytes) {
    throw new WebhookVerificationError(
      "body_too_large",
      `The body is larger than maxBodyBytes, ${maxBodyBytes}. Raise it if the service sent this.`,
    );
  }
  return body;
}

/** The refusal of a body whose exact bytes are gone, with the line to change in each framework. */
export function bodyAlreadyParsed(
  fact = "The body was read or parsed before.",
): WebhookVerificationError {
  return new WebhookVerificationError(
    "body_already_parsed",
    `${fact} The signature covers its exact bytes: verify before anything else reads it. Express: ` +
      "mount this before express.json(). Next.js: export const config = { api: { bodyParser: " +
      "false } }. NestJS: NestFactory.create(AppModule, { rawBody: true }). Koa: mount this before " +
      "the body parser. Fastify: register fastifyWebhooks.",
  );
}
