import { WebhookVerificationError } from "../errors/webhook-verification-error.ts";

/** A delivery's body in the form of the interface document (section 6). */
export interface EventBody {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/**
 * Reads a body whose signature was checked. A second form is in use beside the documented one,
 * `{ type, data: { payment } }` or `{ type, data: { withdrawal } }`, and comes out the same.
 *
 * The fields of `data` are not checked: refusing an authentic delivery over an odd field would make
 * the service repeat it for ever.
 */
export function readEvent(text: string): EventBody {
  const body = parseJson(text);
  if (isObject(body)) {
    const { event, type, data } = body;
    if (isName(event) && isObject(data)) return { event, data };
    if (event === undefined && isName(type) && isObject(data)) {
      const { payment, withdrawal } = data;
      const subject = [payment, withdrawal].find(isObject) ?? data;
      return { event: type, data: subject };
    }
  }
  throw notAnEvent("invalid_event", "an object with a name in `event` and an object in `data`");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch {
    // The platform's own message quotes the body.
    throw notAnEvent("invalid_json", "JSON");
  }
}

export function notAnEvent(reason: "invalid_json" | "invalid_event", expected: string) {
  return new WebhookVerificationError(
    reason,
    `The signature is right, but the body is not ${expected}. Sign only events with this secret.`,
  );
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
