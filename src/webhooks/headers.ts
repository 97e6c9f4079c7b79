import { type WebhookFailureReason, WebhookVerificationError } from "../errors.ts";
import { parseSha256Hex } from "./crypto.ts";
import type { WebhookHints } from "./event.ts";
import { parseTimestamp } from "./timestamp.ts";

/** `Headers`, or a plain object with names in any case, such as `request.headers` of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

type Field = "signature" | "timestamp" | keyof WebhookHints;

type HeaderNames = ReturnType<typeof headerNames>;

/** Which headers to read: their prefix with the hyphen, and the fields by full name. All in lower case. */
export function headerNames(headerPrefix: string) {
  const prefix = `${headerPrefix.toLowerCase()}-`;
  const fields = new Map<string, Field>([
    [`${prefix}signature`, "signature"],
    [`${prefix}timestamp`, "timestamp"],
    [`${prefix}id`, "endpointId"],
    [`${prefix}event-id`, "eventId"],
    [`${prefix}delivery-id`, "deliveryId"],
  ]);
  return { prefix, fields };
}

/** Throws for a missing or malformed signature or timestamp. */
export function readClaims(headers: unknown, names: HeaderNames) {
  const { signature: digits = "", timestamp = "", ...hints } = readFields(headers, names);
  const signature = parseSha256Hex(digits);
  if (signature === undefined) throw unreadable("signature", digits, "64 hex digits", names);
  const timestampMs = parseTimestamp(timestamp);
  if (timestampMs === undefined) {
    const expected = "Unix seconds, Unix milliseconds or ISO 8601 with its zone";
    throw unreadable("timestamp", timestamp, expected, names);
  }
  return { signature, prefix: `${timestamp}.`, timestampMs, hints };
}

function unreadable(
  field: "signature" | "timestamp",
  text: string,
  expected: string,
  { prefix }: HeaderNames,
): WebhookVerificationError {
  const reason: WebhookFailureReason = `${text ? "malformed" : "missing"}_${field}`;
  const fact = text ? `must be ${expected}, and has ${text.length} characters` : "is missing";
  const cure = "Check the headers given, proxies and headerPrefix.";
  return new WebhookVerificationError(reason, `The header ${prefix}${field} ${fact}. ${cure}`);
}

/**
 * The headers that are there and not empty. One that was sent twice arrives as platforms join it,
 * "a, b", which is malformed as a signature and as a timestamp.
 */
function readFields(given: unknown, { prefix, fields }: HeaderNames): { [Name in Field]?: string } {
  const found: { [Name in Field]?: string } = {};
  const headers: Record<string, unknown> = Object(given);
  const { get } = headers;
  const isMap = typeof get === "function";
  const hyphen = prefix.length - 1;
  for (const name of isMap ? fields.keys() : Object.keys(headers)) {
    // One character tells most other headers apart.
    if (name[hyphen] !== "-") continue;
    const field = fields.get(name) ?? fields.get(name.toLowerCase());
    const value = joined(isMap ? get.call(headers, name) : headers[name]);
    if (field && value) found[field] = found[field] ? `${found[field]}, ${value}` : value;
  }
  return found;
}

function joined(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? value.join(", ") : undefined;
}
