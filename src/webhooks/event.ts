import { WebhookVerificationError } from "../errors.ts";
import { isRecord } from "../values.ts";
import type { KnownEvents } from "../wire/webhook-event.ts";
import { type RawBody, toBytes } from "./body.ts";
import type { Delivery, WebhookHints } from "./headers.ts";

declare const unknownEvent: unique symbol;

const namesInDocument = {
  "payment.created": true,
  "payment.updated": true,
  "payment.confirmed": true,
  "withdrawal.created": true,
  "withdrawal.updated": true,
} satisfies Record<keyof KnownEvents, true>;

/** The names in interface section 6: the listed ones, and the one that is only mentioned. */
export type WebhookEventName = keyof typeof namesInDocument;

export function isKnownEvent(name: string): name is WebhookEventName {
  return Object.hasOwn(namesInDocument, name);
}

/** Seen in event logs, but not in the interface document. */
const namesInLogs: readonly UnknownWebhook["event"][] = ["payment.failed", "payout.completed"];

export const eventNames: readonly string[] = [...Object.keys(namesInDocument), ...namesInLogs];

/**
 * Stands for every event name that settlekit does not know; at run time it is the name itself.
 *
 * It is not a plain `string`, because `webhook.event === "payment.updated"` would then not narrow `data`. To handle an
 * unlisted name, register a handler for it, or compare it as a string: `const name: string = webhook.event`.
 */
export type UnknownEventName = "an unknown event" & { readonly [unknownEvent]: true };

/** The fields of every verified delivery. */
export interface VerifiedDelivery<Name extends string, Data> {
  /** The name of the event. */
  readonly event: Name;
  /** The event's data as the service sent it: only its signature was checked. */
  readonly data: Data;
  /** When the delivery was signed. */
  readonly timestamp: Date;
  /**
   * Hex SHA-256 of timestamp text, ".", raw body. Equal only for identical signed deliveries, so it detects a verbatim
   * replay; a redelivery with a new signature has a different one. Key effects, such as shipping an order, on the
   * payment's id and the status reached instead.
   *
   * A getter, computed when first read: part of `JSON.stringify(webhook)`, but not of `{ ...webhook }`.
   */
  readonly deliveryKey: string;
  /** The exact bytes that were signed. A getter too, and not part of `JSON.stringify(webhook)`. */
  readonly rawBody: Uint8Array;
  /** The index of the configured secret that matched, from 0. */
  readonly secretIndex: number;
  /** Identifiers from unsigned headers. Anyone could have changed them: use them only in logs. */
  readonly hints: WebhookHints;
}

/** A verified delivery of one event. */
export type WebhookOf<Name extends string> = Name extends WebhookEventName
  ? VerifiedDelivery<Name, KnownEvents[Name]>
  : UnknownWebhook;

/** A verified delivery of an event whose data settlekit does not know. Two of their names were seen in event logs. */
export type UnknownWebhook = VerifiedDelivery<
  UnknownEventName | "payment.failed" | "payout.completed",
  Record<string, unknown>
>;

/**
 * A verified delivery (interface section 6), discriminated by `event`.
 *
 * @example
 * ```ts
 * if (webhook.event === "payment.updated" && isPaid(webhook.data.status)) {
 *   await markPaid(webhook.data.orderId);
 * }
 * ```
 */
export type Webhook =
  | { [Name in WebhookEventName]: WebhookOf<Name> }[WebhookEventName]
  | UnknownWebhook;

/** The `data` of every event that was sent without any. */
export const noData: Record<string, unknown> = Object.freeze({});

/** A `Webhook` at run time. */
class VerifiedWebhook {
  // Keep the text rather than the caller's bytes, whose buffer may be reused.
  readonly #text: string;
  #rawBody: Uint8Array | undefined;
  readonly #hash: (text: string) => string;
  #deliveryKey: string | undefined;

  constructor(delivery: Delivery, secretIndex: number, hash: (text: string) => string) {
    const { body, timestampMs, hints } = delivery;
    const { text, event, data } = readEvent(body);
    Object.assign(this, { event, data, timestamp: new Date(timestampMs), secretIndex, hints });
    this.#text = text;
    this.#hash = hash;
  }

  get deliveryKey(): string {
    this.#deliveryKey ??= this.#hash(this.#text);
    return this.#deliveryKey;
  }

  get rawBody(): Uint8Array {
    this.#rawBody ??= toBytes(this.#text);
    return this.#rawBody;
  }

  toJSON(): object {
    return { ...this, deliveryKey: this.deliveryKey };
  }
}

/** The webhook in a delivery whose signature was checked. `hash` gives the delivery key. */
export function webhookOf(...parts: ConstructorParameters<typeof VerifiedWebhook>): Webhook {
  // The types of `data` trust the service, as those of every response do.
  return new VerifiedWebhook(...parts) as unknown as Webhook;
}

/**
 * Reads a body whose signature was checked. Besides the documented form, `{ type, data: { payment } }` is published
 * elsewhere, and `data` may be nested under its object's name; all are converted to the documented form.
 *
 * The fields of `data` are not checked: refusing an authentic delivery over an odd field would only make the service
 * send it again.
 */
function readEvent(body: RawBody) {
  const { text, value } = readJson(body);
  if (isRecord(value)) {
    const { event, type } = value;
    const data = value.data ?? noData;
    const name = event === undefined ? type : event;
    if (typeof name === "string" && name !== "" && isRecord(data)) {
      return { text, event: name, data: unnested(data, name, event === undefined) };
    }
  }
  throw notAnEvent("invalid_event", "an object with an event name and a `data` object");
}

function unnested(data: Record<string, unknown>, name: string, isPublishedForm: boolean) {
  const keys = Object.keys(data);
  if (!isPublishedForm && keys.length > 1) return data;
  const key = keys.find((key) => name.startsWith(`${key}.`));
  if (key !== undefined && isRecord(data[key])) return data[key];
  // A payment's event must not be read as being about an accompanying withdrawal, or vice versa.
  if (!isPublishedForm || /^(payment|withdrawal)\./.test(name)) return data;
  return [data.payment, data.withdrawal].find(isRecord) ?? data;
}

// Keeps the byte order mark, so that encoding the text again gives the same bytes.
const strictDecoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readJson(body: RawBody): { text: string; value: unknown } {
  try {
    // A lone surrogate is signed as U+FFFD.
    const text = typeof body === "string" ? body.toWellFormed() : strictDecoder.decode(body);
    return { text, value: JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) };
  } catch {
    // No cause: the platform's own message quotes the body.
    throw notAnEvent("invalid_json", "JSON in UTF-8");
  }
}

function notAnEvent(reason: "invalid_json" | "invalid_event", expected: string) {
  return new WebhookVerificationError(
    reason,
    `The signature is valid, but the body is not ${expected}. Check what else signs with this secret.`,
  );
}
