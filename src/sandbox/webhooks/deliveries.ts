import { ConfigurationError, NotFoundError } from "../../errors.ts";
import type { WebhookEvents } from "../../wire/webhook-event.ts";
import type { Events, NewChange } from "../event-bus.ts";
import { createWaitingList } from "../faults/waiting-list.ts";
import { type RandomSource, randomStream } from "../random.ts";
import type { Merchants } from "../service/merchants.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../time/clock.ts";
import type {
  ReplayOptions,
  SandboxWebhooks,
  WebhookAttempt,
  WebhookData,
  WebhookDelivery,
} from "./delivery.ts";
import {
  checkedEvent,
  type Disorder,
  type DisorderKind,
  type DisorderOptions,
  disorderOf,
  invalidDisorder,
  type WaitingDisorder,
} from "./disorder.ts";
import type { WebhookEndpoint, WebhookMessage } from "./endpoint.ts";
import { disorderedMessage, messageFor, type Recipient } from "./message.ts";
import type { TaskQueue } from "./queue.ts";

/** How long after each refused attempt the next one follows (assumed). */
const retryDelaysMs = [30_000, 120_000, 480_000, 1_920_000] as const;

interface WebhookDeliveries extends SandboxWebhooks {
  /** How many older deliveries were dropped since the last reset. */
  dropped(): number;
  /** Records an event and starts to deliver it, without waiting for the answer. */
  publish(event: keyof WebhookEvents, data: WebhookData, change: NewChange): void;
}

interface WebhookDeliveriesOptions {
  readonly merchants: Merchants;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly queue: TaskQueue;
  readonly events: Events;
  readonly store: Store;
}

/** Far more than are looked at. What is dropped while it waits to be sent again is not sent. */
const maxDeliveries = 10_000;

export function createWebhookDeliveries(options: WebhookDeliveriesOptions): WebhookDeliveries {
  const { merchants, clock, random, queue, events, store } = options;
  /** Each delivery is an unchanging value; an attempt puts another in its place. */
  const deliveries = store.table<WebhookDelivery>("deliveries", { limit: maxDeliveries });
  /** Which ones wait for another one to overtake them, each with its payment or withdrawal. */
  const heldBack = store.table<string>("held deliveries");
  const waiting = createWaitingList<Omit<WaitingDisorder, "times" | "probability">>({
    table: store.table("disorders"),
    chance: () => random.stream("disorder"),
    invalid: invalidDisorder,
  });
  clock.onDue("delivery", attemptIfDue);
  store.onReplaced(sendWaiting);

  function publish(event: keyof WebhookEvents, data: WebhookData, change: NewChange): void {
    const eventId = random.stream("webhooks").uuid();
    events.emit({ ...change, at: clock.now().toISOString(), eventId, event });
    const to = recipientOf(data);
    const met = to && waiting.take((it) => it.event === null || it.event === event);
    const disorder = met ? { kind: met.kind, byMs: met.byMs } : null;
    const delivery = record({ event, data, eventId, disorder });
    if (to) void start(delivery, to);
  }

  function recipientOf({ merchantId }: WebhookData): Recipient | undefined {
    const merchant = merchants.find(merchantId);
    return merchant?.endpoint && { merchant, endpoint: merchant.endpoint };
  }

  function record(
    facts: Pick<WebhookDelivery, "event" | "data" | "eventId" | "disorder">,
  ): WebhookDelivery {
    const { event, data, eventId } = facts;
    const delivery: WebhookDelivery = {
      id: random.stream("webhooks").uuid(),
      ...facts,
      status: recipientOf(data) ? "pending" : "recorded",
      attempts: [],
      nextAttemptAt: null,
      createdAt: clock.now().toISOString(),
    };
    deliveries.set(delivery.id, delivery);
    const { id: deliveryId, createdAt: at } = delivery;
    events.emit({ type: "webhook.created", at, deliveryId, eventId, event, subjectId: data.id });
    return delivery;
  }

  /** Sends a delivery for the first time, or has it wait if that is what is to go wrong. */
  async function start(delivery: WebhookDelivery, to: Recipient): Promise<void> {
    const { kind, byMs } = delivery.disorder ?? {};
    if (byMs === undefined || (kind !== "delay" && kind !== "reorder")) {
      await attemptInTurn(delivery, to);
      return;
    }
    if (kind === "reorder") heldBack.set(delivery.id, delivery.data.id);
    scheduleAt(clock.nowMs() + byMs, delivery);
  }

  function scheduleAt(dueMs: number, delivery: WebhookDelivery): WebhookDelivery {
    const scheduled = { ...delivery, nextAttemptAt: new Date(dueMs).toISOString() };
    deliveries.set(delivery.id, scheduled);
    clock.schedule({ dueMs, kind: "delivery", subject: delivery.id });
    return scheduled;
  }

  /** Events of one payment or withdrawal share a lane, so that none overtakes another. */
  function attemptInTurn(delivery: WebhookDelivery, to: Recipient): Promise<void> {
    return queue.run(delivery.data.id, () => attempt(delivery, to));
  }

  /** What was held back may have been sent before its time. */
  function attemptIfDue(deliveryId: string): void {
    const at = deliveries.get(deliveryId)?.nextAttemptAt ?? null;
    if (at !== null && Date.parse(at) <= clock.nowMs()) attemptNow(deliveryId);
  }

  function attemptNow(deliveryId: string): void {
    heldBack.delete(deliveryId);
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
    const { kind, byMs = 0 } = delivery.disorder ?? {};
    const { merchant, endpoint } = to;
    const { webhookSecret: secret } = merchant;
    // A receiver in another process judges a webhook's age by its own clock, which nobody advances.
    const signed = messageFor(delivery, to, clock.receiversNowMs());
    // Of its own, because which delivery is sent first may depend on how fast receivers answer.
    const draws = randomStream(delivery.id, "tampering");
    const message = disorderedMessage(signed, kind, {
      secret,
      byMs,
      random: draws.fraction,
    });
    const isTwice = kind === "duplicate";
    const attempts = [await sent(message, endpoint, isTwice ? null : (kind ?? null))];
    if (isTwice && isCurrent(delivery)) attempts.push(await sent(message, endpoint, kind));
    if (isCurrent(delivery)) conclude(delivery, attempts);
  }

  async function sent(
    request: WebhookMessage,
    endpoint: WebhookEndpoint,
    disorder: DisorderKind | null,
  ): Promise<WebhookAttempt> {
    const at = clock.now().toISOString();
    const startedMs = performance.now();
    const answer = await endpoint.send(request).then(
      ({ status, ...rest }) => ({ status, answer: rest, error: null }),
      (error: unknown) => ({
        status: null,
        answer: null,
        error: error instanceof Error ? error.message : String(error),
      }),
    );
    return { at, request, disorder, ...answer, durationMs: performance.now() - startedMs };
  }

  /** What was on its way when a snapshot was taken is due at once; nothing else would send it. */
  function sendWaiting(): void {
    for (const delivery of deliveries.values()) {
      const isWaiting = delivery.status === "pending" && delivery.nextAttemptAt === null;
      const to = recipientOf(delivery.data);
      if (isWaiting && to) void attemptInTurn(delivery, to);
    }
  }

  function conclude(before: WebhookDelivery, made: readonly WebhookAttempt[]): void {
    const attempts = [...before.attempts, ...made];
    const status = made[0]?.status ?? null;
    const isDelivered = status !== null && status >= 200 && status < 300;
    const counted = attempts.filter(({ disorder }) => disorder !== "duplicate").length;
    const delayMs = isDelivered ? undefined : retryDelaysMs[counted - 1];
    const after: WebhookDelivery = {
      ...before,
      attempts,
      disorder: null,
      status: isDelivered ? "delivered" : delayMs === undefined ? "failed" : "pending",
      nextAttemptAt: null,
    };
    if (delayMs === undefined) deliveries.set(after.id, after);
    const next = delayMs === undefined ? after : scheduleAt(clock.nowMs() + delayMs, after);
    for (const [index, attempt] of made.entries())
      tell(next, attempt, before.attempts.length + index + 1);
    releaseOthers(next);
  }

  function tell(
    { id: deliveryId, event, data, nextAttemptAt }: WebhookDelivery,
    made: WebhookAttempt,
    attempt: number,
  ) {
    const { at, status, error, disorder } = made;
    events.emit({
      type: "webhook.attempted",
      at,
      deliveryId,
      event,
      subjectId: data.id,
      attempt,
      status,
      error,
      disorder,
      nextAttemptAt,
    });
  }

  /** Whatever was held back for a webhook of this payment or withdrawal comes after it. */
  function releaseOthers({ id, data }: WebhookDelivery): void {
    if (heldBack.size() === 0) return;
    for (const [deliveryId, subjectId] of heldBack.entries()) {
      if (subjectId === data.id && deliveryId !== id) attemptNow(deliveryId);
    }
  }

  async function replay(
    deliveryId: string,
    { disorder: kind, by }: ReplayOptions = {},
  ): Promise<WebhookDelivery> {
    const original = deliveries.get(deliveryId);
    if (original === undefined) throw unknownDelivery();
    const { event, data, eventId } = original;
    const to = recipientOf(data);
    if (to === undefined) throw noEndpoint();
    const disorder: Disorder | null = kind === undefined ? null : disorderOf(kind, by);
    const again = record({ event, data, eventId, disorder });
    await start(again, to);
    return deliveries.get(again.id) ?? again;
  }

  function disorder(kind: DisorderKind, options: DisorderOptions = {}): void {
    const { event = null, by, ...frequency } = options;
    waiting.add({ ...disorderOf(kind, by), event: checkedEvent(event) }, frequency);
  }

  return {
    publish,
    replay,
    disorder,
    disorders: waiting.waiting,
    clearDisorders: waiting.clear,
    deliveries: deliveries.values,
    dropped: deliveries.dropped,
    idle: queue.idle,
  };
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
