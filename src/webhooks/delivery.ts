import { type BodySource, bodyAlreadyParsed, checkSize } from "./body-source.ts";
import { type Claims, readClaims, type WebhookHeaders } from "./headers.ts";
import { asRawBody, type RawBody, type WebhookBody } from "./raw-body.ts";
import type { Settings } from "./settings.ts";

/** A delivery in parts, for platforms without Web Requests. */
export interface WebhookInput {
  /** Exactly as received. Text is taken as its UTF-8 bytes. */
  readonly body: WebhookBody;
  readonly headers: WebhookHeaders;
}

/** A delivery as it came in: nothing of it is known to be authentic. */
export interface Delivery extends Claims {
  readonly body: RawBody;
}

/** The text that stands before the body in what is signed (interface section 6, rule 1). */
export function signedPrefix({ timestampText }: Claims): string {
  return `${timestampText}.`;
}

/** Throws for what cannot be verified: a body that is not raw or too large, unreadable headers. */
export function openDelivery(input: WebhookInput | undefined, settings: Settings): Delivery {
  const body = asRawBody(input?.body);
  if (body === undefined) {
    throw bodyAlreadyParsed(`The body is of type ${typeof input?.body}, not text or bytes.`);
  }
  const claims = readClaims(input?.headers, settings.headers);
  checkSize(body, settings.maxBodyBytes);
  return { ...claims, body };
}

/** As `openDelivery`, for a body still to be read; the headers are judged before a byte of it. */
export async function readDelivery(
  headers: WebhookHeaders,
  source: BodySource,
  settings: Settings,
): Promise<Delivery | undefined> {
  if (typeof source !== "function") return openDelivery({ headers, body: source }, settings);
  const claims = readClaims(headers, settings.headers);
  const body = await source(settings.maxBodyBytes);
  return body === undefined ? undefined : { ...claims, body };
}
