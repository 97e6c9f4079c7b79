import { WebhookVerificationError } from "../errors.ts";
import { type RawBody, toText } from "./raw-body.ts";

/** A delivery's body in the form of the interface document (section 6). */
interface EventBody {
  readonly text: string;
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
export function readEvent(body: RawBody): EventBody {
  const { text, value } = readJson(body);
  if (isObject(value)) {
    const { event, type, data } = value;
    const name = event === undefined ? type : event;
    if (typeof name === "string" && name !== "" && isObject(data)) {
      const { payment, withdrawal } = event === undefined ? data : {};
      return { text, event: name, data: [payment, withdrawal].find(isObject) ?? data };
    }
  }
  throw notAnEvent("invalid_event", "an object with a name `event` and an object `data`");
}

function readJson(body: RawBody): { text: string; value: unknown } {
  try {
    const text = toText(body);
    return { text, value: JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) };
  } catch {
    // The platform's own message quotes the body.
    throw notAnEvent("invalid_json", "JSON in UTF-8");
  }
}

function notAnEvent(reason: "invalid_json" | "invalid_event", expected: string) {
  return new WebhookVerificationError(
    reason,
    `The signature is right, but the body is not ${expected}.`,
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
