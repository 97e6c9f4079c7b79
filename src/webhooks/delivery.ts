import { WebhookVerificationError } from "../errors.ts";
import { checkedBody, type WebhookBody } from "./body.ts";
import { type Delivery, readClaims, type WebhookHeaders } from "./headers.ts";
import { checkOption, type Settings } from "./options.ts";

/** A delivery in parts, for platforms without the Web's Request. */
export interface WebhookInput {
  /** Exactly as received. Text stands for its UTF-8 bytes. */
  readonly body: WebhookBody;
  readonly headers: WebhookHeaders;
}

/**
 * Returns a request's body, or undefined if the sender disconnected. Throws if the body is too large or can no longer be
 * verified; if the signal aborts, throws its reason.
 */
export type ReadBody = (maxBodyBytes: number, signal: AbortSignal) => unknown;

/** The parts of a request that every platform has, whatever their values. */
interface RequestHead {
  readonly method?: string | undefined;
  readonly headers?: WebhookHeaders | null | undefined;
}

/** Returns the response to a request. It has no body. */
export type Receive = (
  request: RequestHead,
  readBody: ReadBody,
) => Promise<{ readonly status: number; readonly headers: Record<string, string> }>;

/** Throws if the delivery cannot be verified: unreadable or stale headers, or a body that is too large or not raw. */
export function openDelivery(input: WebhookInput | undefined, settings: Settings): Delivery {
  const claims = checkedClaims(input?.headers, settings);
  return { ...claims, body: checkedBody(input?.body, settings.maxBodyBytes) };
}

/** Reads a delivery, and its body only if the headers allow it; undefined if the sender disconnected. */
export async function readDelivery(
  { headers }: RequestHead,
  readBody: ReadBody,
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

/** Throws if the headers cannot be verified or are stale, before the body is read. */
function checkedClaims(headers: unknown, { headerNames, toleranceSeconds, now }: Settings) {
  const claims = readClaims(headers, headerNames);
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
