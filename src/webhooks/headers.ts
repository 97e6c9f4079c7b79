import { type WebhookFailureReason, WebhookVerificationError } from "../errors.ts";
import type { Signed } from "./crypto.ts";
import { parseTimestamp } from "./timestamp.ts";

/** `Headers`, or a plain object with names in any case, such as `request.headers` in Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Identifiers from headers outside the signature, if they were sent. */
export interface WebhookHints {
  readonly endpointId?: string;
  readonly eventId?: string;
  readonly deliveryId?: string;
}

/** A delivery as received. Its headers are claims that the signature must confirm. */
export interface Delivery extends Signed {
  readonly timestampMs: number;
  readonly hints: WebhookHints;
}

/** Without their prefix. */
export const fieldNames = {
  signature: "Signature",
  timestamp: "Timestamp",
  endpointId: "Id",
  eventId: "Event-Id",
  deliveryId: "Delivery-Id",
};

export type Field = keyof typeof fieldNames;

type HeaderNames = ReturnType<typeof headerNamesFor>;

/** The headers to read: their prefix including the hyphen, and each field's full name. All lower case. */
export function headerNamesFor(headerPrefix: string) {
  const prefix = `${headerPrefix.toLowerCase()}-`;
  const names = Object.entries(fieldNames) as [Field, string][];
  return {
    prefix,
    fields: new Map(names.map(([field, name]) => [prefix + name.toLowerCase(), field])),
  };
}

/** Throws for a missing or malformed signature or timestamp. */
export function readClaims(headers: unknown, names: HeaderNames) {
  const { signature = "", timestamp = "", ...hints } = readFields(headers, names);
  if (signature.length !== 64 || /[^0-9a-f]/i.test(signature)) {
    throw unreadable("signature", signature, "64 hex digits", names);
  }
  const timestampMs = parseTimestamp(timestamp);
  if (timestampMs === undefined) {
    const expected = "Unix seconds, Unix milliseconds or ISO 8601 with a time zone";
    throw unreadable("timestamp", timestamp, expected, names);
  }
  return { signature: signature.toLowerCase(), start: `${timestamp}.`, timestampMs, hints };
}

function unreadable(
  field: "signature" | "timestamp",
  text: string,
  expected: string,
  { prefix }: HeaderNames,
): WebhookVerificationError {
  const reason: WebhookFailureReason = `${text ? "malformed" : "missing"}_${field}`;
  const fact = text ? `must be ${expected}, and has ${text.length} characters` : "is missing";
  const cure = "Check headerPrefix, any proxies, and that verify was passed { body, headers }.";
  return new WebhookVerificationError(reason, `The header ${prefix}${field} ${fact}. ${cure}`);
}

/**
 * The headers that are present and not empty. Platforms join a header that was sent twice as "a, b", which is neither a
 * valid signature nor a valid timestamp.
 */
function readFields(given: unknown, { prefix, fields }: HeaderNames): { [Name in Field]?: string } {
  const found: { [Name in Field]?: string } = {};
  const headers: Record<string, unknown> = Object(given);
  const { get } = headers;
  const isMap = typeof get === "function";
  const hyphen = prefix.length - 1;
  for (const name of isMap ? fields.keys() : Object.keys(headers)) {
    // Comparing one character first rules out most other headers.
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
