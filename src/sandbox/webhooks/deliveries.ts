import { ConfigurationError, NotFoundError } from "../../errors.ts";
import { checkOptionNames } from "../../values.ts";
import type { Payment } from "../../wire/payment.ts";
import type { WebhookEvents } from "../../wire/webhook-event.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { Core } from "../core.ts";
import type { NewChange } from "../event-bus.ts";
import { createWaitingList } from "../faults/faults.ts";
import { randomStream } from "../random.ts";
import type { Merchants } from "../service/merchants.ts";
import type {
  ReplayOptions,
  SandboxWebhooks,
  WebhookAttempt,
  WebhookData,
  WebhookDelivery,
} from "./delivery.ts";
import {
  checkedEvent,
  type DisorderKind,
  type DisorderOptions,
  disordered,
  disorderOf,
  invalidDisorder,
  type WaitingDisorder,
} from "./disorder.ts";
import { messageFor, type Recipient, type WebhookForm } from "./message.ts";

export type Publish = ReturnType<typeof createWebhookDeliveries>["publish"];

/** The delay of each retry after a refused attempt (assumed). */
const retryDelaysMs = [30_000, 120_000, 480_000, 1_920_000] as const;

/** A delivery that is dropped while it waits for a retry is not sent again. */
const maxDeliveries = 10_000;

export function createWebhookDeliveries(core: Core, merchants: Merchants, form: WebhookForm) {
  const { clock, random, inFlight, events, store } = core;
  /** Deliveries are immutable; each attempt replaces one. */
  const deliveries = store.table<WebhookDelivery>("deliveries", { limit: maxDeliveries });
  /** Ids of the payments and withdrawals of deliveries that wait to be overtaken, by delivery id. */
  const heldBack = store.table<string>("held deliveries");
  const waiting = createWaitingList<Omit<WaitingDisorder, "times" | "probability">>(
    store.table("disorders"),
    () => random.stream("disorder"),
    invalidDisorder,
  );
  clock.onDue("delivery", attemptIfDue);
  store.onReplaced(sendWaiting);

  /** Records an event and starts to deliver it, without waiting for the answer. */
  function publish(
    event: keyof WebhookEvents,
    subject: Payment | Withdrawal,
    change: NewChange,
  ): void {
    const data = snapshotOf(subject);
    const eventId = random.stream("webhooks").uuid();
    const occurredAt = clock.now().toISOString();
    events.emit({ ...change, at: occurredAt, eventId, event });
    const to = recipientOf(data);
    const met = to && waiting.take((it) => it.event === null || it.event === event);
    const disorder = met ? { kind: met.kind, byMs: met.byMs } : null;
    const delivery = record({ event, data, eventId, occurredAt, disorder });
    if (to) void start(delivery, to);
  }

  function recipientOf({ merchantId }: WebhookData): Recipient | undefined {
    const merchant = merchants.find(merchantId);
    return merchant?.endpoint && { merchant, endpoint: merchant.endpoint };
  }

  function record(
    facts: Pick<WebhookDelivery, "event" | "data" | "eventId" | "occurredAt" | "disorder">,
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

  /** Sends a delivery for the first time, or later when its disorder says so. */
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

  /** Webhooks of one payment or withdrawal are sent in order. */
  function attemptInTurn(delivery: WebhookDelivery, to: Recipient): Promise<void> {
    return inFlight.run(delivery.data.id, () => attempt(delivery, to));
  }

  /** A delivery that was held back may have been sent early. */
  function attemptIfDue(deliveryId: string): void {
    const at = deliveries.get(deliveryId)?.nextAttemptAt ?? null;
    if (at !== null && Date.parse(at) <= clock.nowMs()) attemptNow(deliveryId);
  }

  function attemptNow(deliveryId: string): void {
    heldBack.delete(deliveryId);
    const delivery = deliveries.get(deliveryId);
    const to = delivery && recipientOf(delivery.data);
    if (delivery === undefined || to === undefined) return;
    // No longer scheduled, so that a restored snapshot sends it at once.
    const sending: WebhookDelivery = { ...delivery, nextAttemptAt: null };
    deliveries.set(sending.id, sending);
    void attemptInTurn(sending, to);
  }

  /** Another value, or none, means that the sandbox was reset or restored in the meantime. */
  function isCurrent(delivery: WebhookDelivery): boolean {
    return deliveries.get(delivery.id) === delivery;
  }

  async function attempt(delivery: WebhookDelivery, to: Recipient): Promise<void> {
    if (!isCurrent(delivery)) return;
    const { id, attempts } = delivery;
    // Drawn from the delivery's own stream: the order of attempts depends on how fast receivers answer.
    const deliveryId = attempts.length === 0 ? id : randomStream(id, `${attempts.length}`).uuid();
    // Receivers in other processes judge a webhook's age by real time.
    const signed = messageFor(delivery, deliveryId, to, clock.receiversNowMs(), form);
    const request = delivery.disorder
      ? disordered(signed, delivery.disorder, {
          secret: to.merchant.webhookSecret,
          random: randomStream(id, "tampering").fraction,
        })
      : signed;
    const kind = delivery.disorder?.kind ?? null;
    async function send(disorder: DisorderKind | null): Promise<WebhookAttempt> {
      const at = clock.now().toISOString();
      const startedMs = performance.now();
      const result = await to.endpoint.send(request).then(
        ({ status, ...answer }) => ({ status, answer, error: null }),
        (error: unknown) => ({
          status: null,
          answer: null,
          error: error instanceof Error ? error.message : String(error),
        }),
      );
      const durationMs = performance.now() - startedMs;
      return { deliveryId, at, request, disorder, ...result, durationMs };
    }
    const made = [await send(kind === "duplicate" ? null : kind)];
    if (kind === "duplicate" && isCurrent(delivery)) made.push(await send(kind));
    if (isCurrent(delivery)) conclude(delivery, made);
  }

  /** Sends again what was in flight when the snapshot was taken. */
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
    const { id: deliveryId, event, data, nextAttemptAt } = next;
    const type = "webhook.attempted";
    for (const [index, { at, status, error, disorder }] of made.entries()) {
      const attempt = before.attempts.length + index + 1;
      const facts = { deliveryId, event, attempt, status, error, disorder, nextAttemptAt };
      events.emit({ type, at, subjectId: data.id, ...facts });
    }
    releaseOthers(next);
  }

  /** Sends what was held back to be overtaken by this delivery. */
  function releaseOthers({ id, data }: WebhookDelivery): void {
    if (heldBack.size() === 0) return;
    for (const [deliveryId, subjectId] of heldBack.entries()) {
      if (subjectId === data.id && deliveryId !== id) attemptNow(deliveryId);
    }
  }

  async function replay(deliveryId: string, options: ReplayOptions = {}): Promise<WebhookDelivery> {
    checkOptionNames(options, ["disorder", "by"]);
    const { disorder: kind, by } = options;
    const original = deliveries.get(deliveryId) ?? deliveryOfAttempt(deliveryId);
    if (original === undefined) {
      throw new NotFoundError(
        "This sandbox has no webhook delivery with that id. Pass the id of one in webhooks.deliveries().",
        { code: "not_found", param: "deliveryId" },
      );
    }
    const { event, data, eventId, occurredAt } = original;
    const to = recipientOf(data);
    if (to === undefined) {
      throw new ConfigurationError(
        "There is no endpoint to deliver webhooks to. Pass webhookUrl or deliver to createSandbox.",
        { code: "no_webhook_endpoint", param: "webhookUrl" },
      );
    }
    const disorder = kind === undefined ? null : disorderOf(kind, by);
    const again = record({ event, data, eventId, occurredAt, disorder });
    await start(again, to);
    return deliveries.get(again.id) ?? again;
  }

  function deliveryOfAttempt(deliveryId: string): WebhookDelivery | undefined {
    return deliveries
      .values()
      .find(({ attempts }) => attempts.some((attempt) => attempt.deliveryId === deliveryId));
  }

  function disorder(kind: DisorderKind, options: DisorderOptions = {}): void {
    checkOptionNames(options, ["event", "by", "times", "probability"]);
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
    /** How many older deliveries were dropped since the last reset. */
    dropped: deliveries.dropped,
    idle: inFlight.idle,
  } satisfies SandboxWebhooks & Record<"publish" | "dropped", unknown>;
}

function snapshotOf(subject: Payment | Withdrawal): WebhookData {
  const { id, merchantId, amountInCents, currency, status, orderId = null, createdAt } = subject;
  const type = "type" in subject ? { type: subject.type } : {};
  return { id, ...type, merchantId, amountInCents, currency, status, orderId, createdAt };
}
