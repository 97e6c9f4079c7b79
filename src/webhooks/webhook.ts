import type { PaymentEventData, WebhookEvents } from "../wire/webhook-event.ts";
import { toBytes } from "./raw-body.ts";

declare const unknownEvent: unique symbol;

/** What `data` holds, by event name. */
export interface KnownEvents extends WebhookEvents {
  /** The interface document mentions it once and never lists it: handle it as `payment.updated`. */
  "payment.confirmed": PaymentEventData;
}

/** The names of interface section 6: those that it lists, and the one that it only mentions. */
export type WebhookEventName = keyof KnownEvents;

/**
 * Stands for every event name that settlekit does not know; at run time it is the name itself.
 *
 * It is no plain `string`, which would keep `webhook.event === "payment.updated"` from narrowing
 * `data`. To act on a name that is not listed yet, register it: `webhooks.on("some.event", ...)`.
 */
export type UnknownEventName = "an unknown event" & { readonly [unknownEvent]: true };

/** What every verified delivery has. */
export interface VerifiedDelivery<Name extends string, Data> {
  /** What happened. */
  readonly event: Name;
  /** What it happened to, as the service sent it: beyond its signature nothing of it was checked. */
  readonly data: Data;
  /** When the delivery was signed. */
  readonly timestamp: Date;
  /**
   * Hex SHA-256 of timestamp text, ".", raw body. Equal only for identical signed deliveries, so it
   * detects a verbatim replay; a redelivery that was signed anew has another one. Key effects, such
   * as shipping an order, on the payment's id and the status reached instead.
   *
   * A getter of the webhook, computed when first read: part of `JSON.stringify(webhook)`, but not of
   * `{ ...webhook }`.
   */
  readonly deliveryKey: string;
  /** The exact bytes that were signed. A getter too, and not part of `JSON.stringify(webhook)`. */
  readonly rawBody: Uint8Array;
  /** Which of the configured secrets matched, counted from 0. */
  readonly secretIndex: number;
  /** What unsigned headers say. Anybody could have changed them: log them, decide nothing by them. */
  readonly hints: WebhookHints;
}

/** Identifiers from headers outside the signature; those that were sent. */
export interface WebhookHints {
  readonly endpointId?: string;
  readonly eventId?: string;
  readonly deliveryId?: string;
}

/** A verified delivery of one event. */
export type WebhookOf<Name extends string> = Name extends WebhookEventName
  ? VerifiedDelivery<Name, KnownEvents[Name]>
  : UnknownWebhook;

/** A verified delivery of an event that settlekit does not know. */
export type UnknownWebhook = VerifiedDelivery<UnknownEventName, Record<string, unknown>>;

/**
 * A verified delivery (interface section 6), told apart by `event`.
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

/** What `Webhook` is at run time. */
export class VerifiedWebhook {
  // The text is kept rather than the caller's bytes: those may be a buffer that is used again.
  readonly #text: string;
  #rawBody: Uint8Array | undefined;
  readonly #hash: (text: string) => string;
  #deliveryKey: string | undefined;

  constructor(
    facts: Omit<UnknownWebhook, "event" | "deliveryKey" | "rawBody"> & { event: string },
    text: string,
    hash: (text: string) => string,
  ) {
    Object.assign(this, facts);
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
