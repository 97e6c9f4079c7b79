import type { Duration } from "../../duration.ts";
import type { WebhookEvents } from "../../wire/webhook-event.ts";
import type { Disorder, DisorderKind, DisorderOptions, WaitingDisorder } from "./disorder.ts";
import type { WebhookAnswer, WebhookMessage } from "./endpoint.ts";

/** The content of an event: a snapshot of its payment or withdrawal. */
export type WebhookData = WebhookEvents[keyof WebhookEvents] & {
  readonly id: string;
  readonly merchantId: string;
};

/** The delivery of one event to the merchant, with every attempt. */
export interface WebhookDelivery {
  readonly id: string;
  /** `X-Service-Event-Id`: the same in every delivery of one event. */
  readonly eventId: string;
  readonly event: keyof WebhookEvents;
  readonly data: WebhookData;
  /** When the event happened, even in a replay: ISO 8601, UTC, on the sandbox's clock. */
  readonly occurredAt: string;
  /**
   * - `recorded`: not sent, because there is no endpoint.
   * - `pending`: in flight, or waiting until `nextAttemptAt`.
   * - `delivered`: the receiver responded with a 2xx status.
   * - `failed`: every attempt failed.
   */
  readonly status: "recorded" | "pending" | "delivered" | "failed";
  readonly attempts: readonly WebhookAttempt[];
  /** The disorder of its next attempt. */
  readonly disorder: Disorder | null;
  /** ISO 8601, UTC, on the sandbox's clock; null if no further attempt is due. */
  readonly nextAttemptAt: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** One request to the merchant's endpoint. */
export interface WebhookAttempt {
  /** `X-Service-Delivery-Id`: each attempt has its own; the first attempt's is the delivery's `id`. */
  readonly deliveryId: string;
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
  /** The request as sent, including any disorder. */
  readonly request: WebhookMessage;
  /** Its disorder. Of two equal requests, the second is the `duplicate`; its response does not count. */
  readonly disorder: DisorderKind | null;
  /** Null if there was no response. */
  readonly answer: Omit<WebhookAnswer, "status"> | null;
  /** Status of the response; null if there was none. */
  readonly status: number | null;
  /** Why there was no response; null if there was one. */
  readonly error: string | null;
  /** How long the response took, in real milliseconds. */
  readonly durationMs: number;
}

/** The webhooks that the sandbox sent, or would have sent (interface section 6). */
export interface SandboxWebhooks {
  /** The latest 10,000 deliveries since the last reset, in the order of their events. */
  deliveries(): WebhookDelivery[];
  /**
   * Delivers an event again, in a new delivery with a new signature.
   *
   * @param deliveryId The delivery to repeat: its `id`, or the `X-Service-Delivery-Id` of any of its attempts.
   * @returns The new delivery after its first attempt, or before it if the attempt is held back or delayed.
   * @throws {NotFoundError} when there is no such delivery.
   * @throws {ConfigurationError} when the merchant has no endpoint.
   * @throws {InvalidRequestError} when the disorder is invalid; see `disorder`.
   */
  replay(deliveryId: string, options?: ReplayOptions): Promise<WebhookDelivery>;
  /**
   * Disturbs the first attempt of the next webhooks. At most one disorder applies to each: the first in the queue that
   * fits its event. A rejected webhook is retried as usual, so that every event arrives in the end.
   *
   * @throws {InvalidRequestError} code `unknown_disorder`, `invalid_disorder` or `invalid_duration`.
   * @example
   * ```ts
   * // The next payment.updated arrives twice, byte for byte.
   * sandbox.webhooks.disorder("duplicate", { event: "payment.updated" });
   * // One webhook in ten is tampered with: the same ones in every run with the same seed.
   * sandbox.webhooks.disorder("tamper", { probability: 0.1 });
   * ```
   */
  disorder(kind: DisorderKind, options?: DisorderOptions): void;
  /** A copy of the waiting disorder, in the order in which it applies. */
  disorders(): WaitingDisorder[];
  /** Removes all waiting disorder. */
  clearDisorders(): void;
  /** Resolves when no webhook is in flight. Does not wait for later retries. */
  idle(): Promise<void>;
}

/** How a webhook is resent. */
export interface ReplayOptions {
  /** The disorder of the new delivery. */
  readonly disorder?: DisorderKind | undefined;
  /** See `by` of `disorder`. */
  readonly by?: Duration | undefined;
}
