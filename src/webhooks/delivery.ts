import { checkedBody } from "./body-check.ts";
import { type Claims, readClaims, type WebhookHeaders } from "./headers.ts";
import type { RawBody, WebhookBody } from "./raw-body.ts";
import type { Settings } from "./settings.ts";

/** A delivery in parts, for platforms without Web Requests. */
export interface WebhookInput {
  /** Exactly as received. Text is taken as its UTF-8 bytes. */
  readonly body: WebhookBody;
  readonly headers: WebhookHeaders;
}

/** A request as each platform's adapter describes it. */
export interface IncomingRequest {
  readonly method: string | undefined;
  readonly headers: WebhookHeaders | null | undefined;
  /**
   * Gives the body, or its beginning once that is larger than the limit, or undefined when the sender
   * went away. Throws when the body is no longer there to be verified.
   */
  readBody(maxBodyBytes: number): unknown;
}

/** A delivery as it came in: nothing of it is known to be authentic. */
export interface Delivery extends Claims {
  readonly body: RawBody;
}

/** A signature, and the two parts of what it covers (interface section 6, rule 1). */
export type Signed = Pick<Delivery, "signature" | "prefix" | "body">;

/** Throws for what cannot be verified: unreadable headers, a body that is not raw or too large. */
export function openDelivery(input: WebhookInput | undefined, settings: Settings): Delivery {
  const claims = readClaims(input?.headers, settings.headers);
  return { ...claims, body: checkedBody(input?.body, settings.maxBodyBytes) };
}

/** As `openDelivery`, for a body still to be read; undefined when the sender went away half-way. */
export async function readDelivery(
  { headers, readBody }: Pick<IncomingRequest, "headers" | "readBody">,
  settings: Settings,
): Promise<Delivery | undefined> {
  const { maxBodyBytes } = settings;
  const claims = readClaims(headers, settings.headers);
  const body = await readBody(maxBodyBytes);
  return body === undefined ? undefined : { ...claims, body: checkedBody(body, maxBodyBytes) };
}
