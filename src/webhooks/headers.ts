import {
  type WebhookFailureReason,
  WebhookVerificationError,
} from "../errors/webhook-verification-error.ts";
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
  /** The exact text, because it is part of what was signed. */
  readonly timestampText: string;
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
  const {
    signature: signatureText,
    timestamp: timestampText,
    ...hints
  } = readFields(headers, names);
  if (!signatureText) throw refusal(names, "signature", "missing_signature", "missing");
  if (!timestampText) throw refusal(names, "timestamp", "missing_timestamp", "missing");
  const signature = parseSha256Hex(signatureText);
  if (signature === undefined) {
    const fact = "not one value of 64 hex digits";
    throw refusal(names, "signature", "malformed_signature", fact);
  }
  const timestampMs = parseTimestamp(timestampText);
  if (timestampMs === undefined) {
    const fact = "not one value in Unix seconds, Unix milliseconds or ISO 8601 in UTC";
    throw refusal(names, "timestamp", "malformed_timestamp", fact);
  }
  return { signature, timestampText, timestampMs, hints };
}

function refusal(
  { prefix }: HeaderNames,
  field: Field,
  reason: WebhookFailureReason,
  fact: string,
): WebhookVerificationError {
  return new WebhookVerificationError(
    reason,
    `The header ${prefix}${field} is ${fact}. Check who sent it, proxies that change headers, and ` +
      "the option headerPrefix.",
  );
}

/**
 * The headers that are there and not empty. One that was given several times comes as platforms join
 * it, "a, b", which no grammar here accepts.
 */
function readFields(
  headers: unknown,
  { prefix, fields }: HeaderNames,
): { [Name in Field]?: string } {
  const found: { [Name in Field]?: string } = {};
  if (typeof headers !== "object" || headers === null) return found;
  if ("get" in headers && typeof headers.get === "function") {
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
    const value = joined((headers as Record<string, unknown>)[name]);
    if (field && value) found[field] = found[field] ? `${found[field]}, ${value}` : value;
  }
  return found;
}

function joined(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? value.join(", ") : undefined;
}
