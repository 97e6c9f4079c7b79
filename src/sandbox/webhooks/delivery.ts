import type { WebhookEvents } from "../../wire/webhook-event.ts";
import type { Duration } from "../time/duration.ts";
import type { Disorder, DisorderKind, DisorderOptions, WaitingDisorder } from "./disorder.ts";
import type { WebhookAnswer, WebhookMessage } from "./endpoint.ts";

/** One event on its way to the merchant, with every attempt to get it there. */
export interface WebhookDelivery {
  /** `X-Service-Delivery-Id`: the same for every attempt. */
  readonly id: string;
  /** `X-Service-Event-Id`: the same for every delivery of one event. */
  readonly eventId: string;
  readonly event: keyof WebhookEvents;
  readonly data: WebhookData;
  /**
   * - `recorded`: there is no endpoint, so it was not sent.
   * - `pending`: on its way, or held back or to be repeated until `nextAttemptAt`.
   * - `delivered`: answered with a 2xx status.
   * - `failed`: every attempt was refused.
   */
  readonly status: "recorded" | "pending" | "delivered" | "failed";
  readonly attempts: readonly WebhookAttempt[];
  /** What is to go wrong with its next attempt. */
  readonly disorder: Disorder | null;
  /** ISO 8601, UTC, on the sandbox's clock; null when no further attempt is due. */
  readonly nextAttemptAt: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** One request to the merchant's endpoint. */
export interface WebhookAttempt {
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
  /** What was really sent, whatever was made go wrong with it. */
  readonly request: WebhookMessage;
  /** What was made go wrong with it. The second of two equal ones is the `duplicate`; its answer does not count. */
  readonly disorder: DisorderKind | null;
  /** Null when none came. */
  readonly answer: Omit<WebhookAnswer, "status"> | null;
  /** Status of the answer; null when none came. */
  readonly status: number | null;
  /** Why no answer came; null when one did. */
  readonly error: string | null;
  /** How long the answer took, in real milliseconds. */
  readonly durationMs: number;
}

/** What an event tells of its payment or withdrawal. */
export type WebhookData = WebhookEvents[keyof WebhookEvents] & {
  readonly id: string;
  readonly merchantId: string;
};

/** The webhooks that the sandbox sent, or would have sent (interface section 6). */
export interface SandboxWebhooks {
  /** The latest 10,000 deliveries since the last reset, in the order of the events. */
  deliveries(): WebhookDelivery[];
  /**
   * Delivers an event once more: signed anew, under a delivery id of its own.
   *
   * @param deliveryId Of the delivery to repeat.
   * @returns The new delivery, after its first attempt; before it where it is held back or delayed.
   * @throws {NotFoundError} There is no such delivery.
   * @throws {ConfigurationError} The merchant has no endpoint to deliver to.
   * @throws {InvalidRequestError} The disorder cannot be; see `disorder`.
   */
  replay(deliveryId: string, options?: ReplayOptions): Promise<WebhookDelivery>;
  /**
   * Lets the next webhooks go wrong on their way: each meets at most one disorder, the first one that waits
   * for its event, with its first attempt. What is refused then is sent again as always, in order.
   *
   * @throws {InvalidRequestError} code `unknown_disorder`, `invalid_disorder` or `invalid_duration`.
   * @example
   * ```ts
   * // The next payment.updated comes twice, byte for byte.
   * sandbox.webhooks.disorder("duplicate", { event: "payment.updated" });
   * // A tenth of all webhooks is tampered with, always the same ones with the same seed.
   * sandbox.webhooks.disorder("tamper", { probability: 0.1 });
   * ```
   */
  disorder(kind: DisorderKind, options?: DisorderOptions): void;
  /** What is still waiting to go wrong, in the order in which it is met. A copy. */
  disorders(): WaitingDisorder[];
  /** Takes back whatever is still waiting to go wrong. */
  clearDisorders(): void;
  /** Resolves when no webhook is in flight. Does not wait for what falls due later. */
  idle(): Promise<void>;
}

/** How a webhook is sent again. */
export interface ReplayOptions {
  /** What is to go wrong with it. */
  readonly disorder?: DisorderKind | undefined;
  /** As `by` of `disorder`. */
  readonly by?: Duration | undefined;
}
