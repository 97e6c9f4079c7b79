import { type WebhookFailureReason, WebhookVerificationError } from "../errors.ts";
import { parseSha256Hex } from "./hex.ts";
import { parseTimestamp } from "./timestamp.ts";
import type { WebhookHints } from "./webhook.ts";

/** `Headers`, or a plain object with names in any case, such as `request.headers` of Node. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** What the headers say about a delivery: to be believed once the signature was checked. */
export interface Claims {
  readonly signature: Uint8Array<ArrayBuffer>;
  /** What was signed before the body: the timestamp's exact text and a dot. */
  readonly prefix: string;
  readonly timestampMs: number;
  readonly hints: WebhookHints;
}

type Field = "signature" | "timestamp" | keyof WebhookHints;

/** Which headers to read. */
export interface HeaderNames {
  /** In lower case, with the hyphen. */
  readonly prefix: string;
  /** By full name in lower case. */
  readonly fields: ReadonlyMap<string, Field>;
}

export function headerNames(headerPrefix: string): HeaderNames {
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
export function readClaims(headers: unknown, names: HeaderNames): Claims {
  const { signature, timestamp, ...hints } = readFields(headers, names);
  const parse = <Value>(
    field: Field,
    text = "",
    parser: (text: string) => Value | undefined,
    grammar: string,
  ): Value => {
    const value = parser(text);
    if (value !== undefined) return value;
    throw new WebhookVerificationError(
      `${text ? "malformed" : "missing"}_${field}` as WebhookFailureReason,
      `The header ${names.prefix}${field} is ${text ? `not one value ${grammar}` : "missing"}. ` +
        "Check the headers given, proxies and headerPrefix.",
    );
  };
  return {
    signature: parse("signature", signature, parseSha256Hex, "of 64 hex digits"),
    timestampMs: parse(
      "timestamp",
      timestamp,
      parseTimestamp,
      "in Unix seconds, milliseconds or ISO 8601 UTC",
    ),
    prefix: `${timestamp}.`,
    hints,
  };
}

/**
 * The headers that are there and not empty. One that was given several times comes as platforms join
 * it, "a, b", which no grammar here accepts.
 */
function readFields(given: unknown, { prefix, fields }: HeaderNames): { [Name in Field]?: string } {
  const found: { [Name in Field]?: string } = {};
  const headers: Record<string, unknown> = Object(given);
  if (typeof headers.get === "function") {
    for (const [name, field] of fields) {
      const value: unknown = headers.get(name);
      if (value && typeof value === "string") found[field] = value;
    }
    return found;
  }
  const hyphen = prefix.length - 1;
  for (const name of Object.keys(headers)) {
    // One character tells most other headers apart.
    if (name[hyphen] !== "-") continue;
    const field = fields.get(name) ?? fields.get(name.toLowerCase());
    const value = joined(headers[name]);
    if (field && value) found[field] = found[field] ? `${found[field]}, ${value}` : value;
  }
  return found;
}

function joined(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? value.join(", ") : undefined;
}
