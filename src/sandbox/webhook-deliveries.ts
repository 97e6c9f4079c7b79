import { ConfigurationError } from "../errors/configuration-error.ts";
import { NotFoundError } from "../errors/not-found-error.ts";
import { signWebhook } from "../webhooks/index.ts";
import { defaultHeaderPrefix } from "../wire/headers.ts";
import type { WebhookEvents } from "../wire/webhook-event.ts";
import type { Clock } from "./clock.ts";
import type { Lanes } from "./lanes.ts";
import type { Merchant, Merchants } from "./merchants.ts";
import type { RandomSource } from "./random.ts";
import type { Store } from "./store.ts";
import type { Timeline } from "./timeline.ts";
import type { WebhookEndpoint, WebhookMessage } from "./webhook-endpoint.ts";

/** How long after each refused attempt the next one follows (assumed). */
const retryDelaysMs = [30_000, 120_000, 480_000, 1_920_000] as const;

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
   * - `pending`: on its way, or to be repeated at `nextAttemptAt`.
   * - `delivered`: answered with a 2xx status.
   * - `failed`: every attempt was refused.
   */
  readonly status: "recorded" | "pending" | "delivered" | "failed";
  readonly attempts: readonly WebhookAttempt[];
  /** ISO 8601, UTC, on the sandbox's clock; null when no further attempt is due. */
  readonly nextAttemptAt: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** One request to the merchant's endpoint. */
export interface WebhookAttempt {
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
  readonly request: WebhookMessage;
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
  /** Every delivery since the last reset, in the order of the events. */
  deliveries(): WebhookDelivery[];
  /**
   * Delivers an event once more: signed anew, under a delivery id of its own.
   *
   * @param deliveryId Of the delivery to repeat.
   * @returns The new delivery, after its first attempt.
   * @throws {NotFoundError} There is no such delivery.
   * @throws {ConfigurationError} The merchant has no endpoint to deliver to.
   */
  replay(deliveryId: string): Promise<WebhookDelivery>;
  /** How many older deliveries were dropped since the last reset: the latest 10,000 are kept. */
  dropped(): number;
  /** Resolves when no webhook is in flight. Does not wait for retries that fall due later. */
  idle(): Promise<void>;
}

export interface WebhookDeliveries extends SandboxWebhooks {
  /** Records an event and starts to deliver it, without waiting for the answer. */
  publish(event: keyof WebhookEvents, data: WebhookData): void;
}

/** Who webhooks are sent to. */
interface Recipient {
  readonly merchant: Merchant;
  readonly endpoint: WebhookEndpoint;
}

export interface WebhookDeliveriesOptions {
  readonly merchants: Merchants;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly lanes: Lanes;
  readonly timeline: Timeline;
  readonly store: Store;
}

/** Far more than are looked at. What is dropped while it waits to be sent again is not sent. */
const maxDeliveries = 10_000;

export function createWebhookDeliveries(options: WebhookDeliveriesOptions): WebhookDeliveries {
  const { merchants, clock, random, lanes, timeline, store } = options;
  /** Each delivery is an unchanging value; an attempt puts another in its place. */
  const deliveries = store.table<WebhookDelivery>("deliveries", { limit: maxDeliveries });
  clock.onDue("delivery", attemptAgain);
  store.onReplaced(sendWaiting);

  function publish(event: keyof WebhookEvents, data: WebhookData): void {
    const eventId = random.stream("webhooks").uuid();
    const { id: subjectId, orderId = null, status = "" } = data;
    const at = clock.now().toISOString();
    const requestId = timeline.servedRequestId();
    timeline.add({ type: "change", at, eventId, event, subjectId, orderId, status, requestId });
    const delivery = record(event, data, eventId);
    const to = recipientOf(data);
    if (to) void attemptInTurn(delivery, to);
  }

  function recipientOf({ merchantId }: WebhookData): Recipient | undefined {
    const merchant = merchants.find(merchantId);
    return merchant?.endpoint && { merchant, endpoint: merchant.endpoint };
  }

  function record(event: keyof WebhookEvents, data: WebhookData, eventId: string): WebhookDelivery {
    const delivery: WebhookDelivery = {
      id: random.stream("webhooks").uuid(),
      eventId,
      event,
      data,
      status: recipientOf(data) ? "pending" : "recorded",
      attempts: [],
      nextAttemptAt: null,
      createdAt: clock.now().toISOString(),
    };
    deliveries.set(delivery.id, delivery);
    const { id: deliveryId, createdAt: at } = delivery;
    timeline.add({ type: "webhook", at, deliveryId, eventId, event, subjectId: data.id });
    return delivery;
  }

  /** Events of one payment or withdrawal share a lane, so that none overtakes another. */
  function attemptInTurn(delivery: WebhookDelivery, to: Recipient): Promise<void> {
    return lanes.run(delivery.data.id, () => attempt(delivery, to));
  }

  function attemptAgain(deliveryId: string): void {
    const delivery = deliveries.get(deliveryId);
    const to = delivery && recipientOf(delivery.data);
    if (delivery === undefined || to === undefined) return;
    // On its way now, so that a snapshot knows to send it: it is no longer scheduled.
    const sending: WebhookDelivery = { ...delivery, nextAttemptAt: null };
    deliveries.set(sending.id, sending);
    void attemptInTurn(sending, to);
  }

  /** Another value, or none, means that the sandbox was reset or restored meanwhile. */
  function isCurrent(delivery: WebhookDelivery): boolean {
    return deliveries.get(delivery.id) === delivery;
  }

  async function attempt(delivery: WebhookDelivery, to: Recipient): Promise<void> {
    if (!isCurrent(delivery)) return;
    const nowMs = clock.nowMs();
    const request = messageFor(delivery, to);
    const startedMs = performance.now();
    const answer = await to.endpoint.send(request).then(
      (status) => ({ status, error: null }),
      (error: unknown) => ({ status: null, error: describe(error) }),
    );
    const durationMs = performance.now() - startedMs;
    if (!isCurrent(delivery)) return;
    conclude(delivery, { at: new Date(nowMs).toISOString(), request, ...answer, durationMs });
  }

  /** What was on its way when a snapshot was taken is due at once; nothing else would send it. */
  function sendWaiting(): void {
    for (const delivery of deliveries.values()) {
      const isWaiting = delivery.status === "pending" && delivery.nextAttemptAt === null;
      const to = recipientOf(delivery.data);
      if (isWaiting && to) void attemptInTurn(delivery, to);
    }
  }

  function conclude(before: WebhookDelivery, attempt: WebhookAttempt): void {
    const attempts = [...before.attempts, attempt];
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const delayMs = isDelivered ? undefined : retryDelaysMs[attempts.length - 1];
    const dueMs = delayMs === undefined ? undefined : clock.nowMs() + delayMs;
    const after: WebhookDelivery = {
      ...before,
      attempts,
      status: isDelivered ? "delivered" : dueMs === undefined ? "failed" : "pending",
      nextAttemptAt: dueMs === undefined ? null : new Date(dueMs).toISOString(),
    };
    deliveries.set(after.id, after);
    if (dueMs !== undefined) clock.schedule({ dueMs, kind: "delivery", subject: after.id });
    const { at, status, error } = attempt;
    const { id: deliveryId, event } = after;
    const facts = { at, deliveryId, event, attempt: attempts.length, status, error };
    clock.report({ ...facts, type: "webhook.attempted" });
    timeline.add({ ...facts, type: "attempt", subjectId: after.data.id });
  }

  function messageFor(
    delivery: WebhookDelivery,
    { merchant, endpoint: { url } }: Recipient,
  ): WebhookMessage {
    const { id, eventId, event, data } = delivery;
    // A receiver in another process judges a webhook's age by its own clock, which nobody advances.
    const timestamp = String(Math.floor(clock.receiversNowMs() / 1000));
    const { body, headers } = signWebhook({
      event: { event, data },
      secret: merchant.webhookSecret,
      timestamp,
    });
    const hints = {
      [`${defaultHeaderPrefix}-Id`]: merchant.endpointId,
      [`${defaultHeaderPrefix}-Event-Id`]: eventId,
      [`${defaultHeaderPrefix}-Delivery-Id`]: id,
    };
    return { url, headers: { ...headers, ...hints }, body };
  }

  async function replay(deliveryId: string): Promise<WebhookDelivery> {
    const original = deliveries.get(deliveryId);
    if (original === undefined) throw unknownDelivery();
    const to = recipientOf(original.data);
    if (to === undefined) throw noEndpoint();
    const again = record(original.event, original.data, original.eventId);
    await attemptInTurn(again, to);
    return deliveries.get(again.id) ?? again;
  }

  return {
    publish,
    replay,
    deliveries: deliveries.values,
    dropped: deliveries.dropped,
    idle: lanes.idle,
  };
}

/** Fetch hides the reason in the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function unknownDelivery(): NotFoundError {
  return new NotFoundError(
    "This sandbox has no webhook delivery with that id. Pass the id of one in webhooks.deliveries().",
    { code: "not_found", param: "deliveryId" },
  );
}

function noEndpoint(): ConfigurationError {
  return new ConfigurationError(
    "There is no endpoint to deliver webhooks to. Pass webhookUrl or deliver to createSandbox.",
    { code: "no_webhook_endpoint", param: "webhookUrl" },
  );
}
