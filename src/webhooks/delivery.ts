import { WebhookVerificationError } from "../errors.ts";
import { checkedBody, type WebhookBody } from "./body.ts";
import type { Signed } from "./crypto.ts";
import type { WebhookHints } from "./event.ts";
import { readClaims, type WebhookHeaders } from "./headers.ts";
import { checkOption, type Settings } from "./options.ts";

/** A delivery in parts, for platforms without Web Requests. */
export interface WebhookInput {
  /** Exactly as received. Text is taken as its UTF-8 bytes. */
  readonly body: WebhookBody;
  readonly headers: WebhookHeaders;
}

/** A request as each platform's handler describes it. */
export interface IncomingRequest {
  readonly method: string | undefined;
  readonly headers: WebhookHeaders | null | undefined;
  /**
   * Gives the body, or undefined when the sender disconnected. Throws when the body is no longer there
   * to be verified or larger than the limit, and the signal's reason once that aborts.
   */
  readBody(maxBodyBytes: number, signal: AbortSignal): unknown;
}

/** Gives the answer to a request, which has no body. */
export type Receive = (
  request: IncomingRequest,
) => Promise<{ readonly status: number; readonly headers: Record<string, string> }>;

/** A delivery as it was received. Its headers are claims, which the signature must confirm. */
export interface Delivery extends Signed {
  readonly timestampMs: number;
  readonly hints: WebhookHints;
}

/** Throws for what cannot be verified: unreadable or stale headers, a body that is not raw or too large. */
export function openDelivery(input: WebhookInput | undefined, settings: Settings): Delivery {
  const claims = checkedClaims(input?.headers, settings);
  return { ...claims, body: checkedBody(input?.body, settings.maxBodyBytes) };
}

/** Reads a delivery, its body only where the headers allow; undefined when the sender disconnected. */
export async function readDelivery(
  { headers, readBody }: IncomingRequest,
  settings: Settings,
): Promise<Delivery | undefined> {
  const { maxBodyBytes, bodyTimeoutMs } = settings;
  const claims = checkedClaims(headers, settings);
  const late = new AbortController();
  const stop = () => {
    const message = `The body took longer than bodyTimeoutMs, ${bodyTimeoutMs}. Raise it if the service sent this.`;
    late.abort(new WebhookVerificationError("body_timeout", message));
  };
  const timer = setTimeout(stop, bodyTimeoutMs);
  try {
    const body = await readBody(maxBodyBytes, late.signal);
    return body === undefined ? undefined : { ...claims, body: checkedBody(body, maxBodyBytes) };
  } finally {
    clearTimeout(timer);
  }
}

/** Throws for headers that cannot be verified or are stale: reason enough not to read the body. */
function checkedClaims(headers: unknown, { headers: names, toleranceSeconds, now }: Settings) {
  const claims = readClaims(headers, names);
  const ageMs = Number(now()) - claims.timestampMs;
  checkOption("now", !Number.isNaN(ageMs), "a function that returns a valid Date");
  if (Math.abs(ageMs) <= toleranceSeconds * 1000) return claims;
  const isOld = ageMs > 0;
  throw new WebhookVerificationError(
    isOld ? "timestamp_too_old" : "timestamp_too_new",
    `The delivery's timestamp is ${Math.abs(ageMs) / 1000} seconds in the ` +
      `${isOld ? "past" : "future"}, and toleranceSeconds is ${toleranceSeconds}. ` +
      "If a sandbox with a frozen clock sent it, pass now: sandbox.clock.now. Check this machine's clock.",
  );
}
