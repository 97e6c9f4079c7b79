import type { WebhookEvents } from "../../wire/webhook-event.ts";
import type { Disorder, DisorderKind } from "./disorder.ts";
import type { WebhookAnswer } from "./webhook-answer.ts";
import type { WebhookMessage } from "./webhook-endpoint.ts";

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
