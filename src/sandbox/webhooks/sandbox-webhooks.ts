import type { Duration } from "../time/duration.ts";
import type { DisorderKind, DisorderOptions, WaitingDisorder } from "./disorder.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

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
