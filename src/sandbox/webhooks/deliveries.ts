import { NotFoundError } from "../../errors.ts";
import { checkOptionNames, invalidOption, show } from "../../values.ts";
import { signWebhook } from "../../webhooks/sign.ts";
import type { Payment } from "../../wire/payment.ts";
import { type WebhookEvents, webhookEventNames } from "../../wire/webhook-event.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import { checkName } from "../checks.ts";
import type { Core } from "../core.ts";
import type { NewChange } from "../event-bus.ts";
import { createWaitingList } from "../faults/faults.ts";
import { randomStream } from "../random.ts";
import { keptHeaders, withoutSecrets } from "../request-log.ts";
import type { Merchants, SandboxMerchant } from "../service/merchants.ts";
import type {
  ReplayOptions,
  SandboxWebhooks,
  WebhookAttempt,
  WebhookData,
  WebhookDelivery,
} from "./delivery.ts";
import {
  anotherSecret,
  type DisorderKind,
  type DisorderOptions,
  disorderOf,
  tamperedWebhook,
  type WaitingDisorder,
  type WebhookParts,
} from "./disorder.ts";

export type Publish = ReturnType<typeof createDeliveries>["publish"];

/** The delay of each retry after a failed attempt (assumed). */
const retryDelaysMs = [30_000, 120_000, 480_000, 1_920_000] as const;

export function createDeliveries(core: Core, merchants: Merchants) {
  const { clock, random, inFlight, events, store } = core;
  /** Deliveries are immutable; each attempt replaces one. One that is dropped while it waits is not sent again. */
  const deliveries = store.table<WebhookDelivery>("deliveries", { limit: 10_000 });
  /** What each held delivery waits for: its payment or withdrawal until that has a newer delivery, then that one. */
  const heldBack = store.table<string>("held deliveries");
  const waiting = createWaitingList<Omit<WaitingDisorder, "times" | "probability">>(
    store.table("disorders"),
    () => random.stream("disorder"),
    "invalid_disorder",
  );
  const scheduleAttempt = clock.onDue("delivery", attemptIfDue);
  store.onReplaced(sendWaiting);

  /** Records an event and starts to deliver it, without waiting for the response. */
  function publish(
    event: keyof WebhookEvents,
    subject: Payment | Withdrawal,
    change: NewChange,
  ): void {
    const data = snapshotOf(subject);
    const eventId = random.stream("webhooks").uuid();
    const occurredAt = clock.now().toISOString();
    events.emitEffect({ ...change, eventId, event });
    const met = hasEndpoint(data) && waiting.take((it) => it.event === null || it.event === event);
    const disorder = met ? { kind: met.kind, byMs: met.byMs } : null;
    void deliver({ event, data, eventId, occurredAt, disorder });
  }

  function hasEndpoint({ merchantId }: WebhookData): boolean {
    return merchants.endpointOf(merchantId) !== undefined;
  }

  /** Records a delivery and makes its first attempt, now or later, depending on its disorder. */
  async function deliver(
    facts: Pick<WebhookDelivery, "event" | "data" | "eventId" | "occurredAt" | "disorder">,
  ): Promise<WebhookDelivery> {
    const { event, data, eventId, disorder } = facts;
    const at = clock.now().toISOString();
    const id = random.stream("webhooks").uuid();
    const status = hasEndpoint(data) ? "pending" : "recorded";
    const isHeldBack = disorder?.kind === "reorder";
    const delayMs = isHeldBack || disorder?.kind === "delay" ? disorder.byMs : undefined;
    const delivery = put({ id, ...facts, status, attempts: [], createdAt: at }, delayMs);
    const { id: subjectId, orderId = null } = data;
    events.emit({ type: "webhook.created", deliveryId: id, eventId, event, subjectId, orderId });
    for (const [heldId, awaited] of heldBack.entries()) {
      if (awaited === data.id) heldBack.set(heldId, id);
    }
    if (isHeldBack) heldBack.set(id, data.id);
    if (status === "pending" && delayMs === undefined) await attemptInTurn(delivery);
    return deliveries.get(id) ?? delivery;
  }

  /** Stores a delivery, and schedules its next attempt if there is a delay. */
  function put(delivery: Omit<WebhookDelivery, "nextAttemptAt">, delayMs?: number) {
    const dueMs = delayMs === undefined ? undefined : clock.nowMs() + delayMs;
    const nextAttemptAt = dueMs === undefined ? null : new Date(dueMs).toISOString();
    const stored = { ...delivery, nextAttemptAt };
    deliveries.set(stored.id, stored);
    if (dueMs !== undefined) scheduleAttempt(stored.id, dueMs);
    return stored;
  }

  /** Webhooks of one payment or withdrawal are sent in order. */
  function attemptInTurn(delivery: WebhookDelivery): Promise<void> {
    return inFlight.run(delivery.data.id, () => attempt(delivery));
  }

  /** A delivery that was held back may already have been sent. */
  function attemptIfDue(deliveryId: string): void {
    const at = deliveries.get(deliveryId)?.nextAttemptAt ?? null;
    if (at !== null && Date.parse(at) <= clock.nowMs()) attemptNow(deliveryId);
  }

  function attemptNow(deliveryId: string): void {
    heldBack.delete(deliveryId);
    const delivery = deliveries.get(deliveryId);
    // Stored without nextAttemptAt, so that a restored snapshot sends it at once.
    if (delivery && hasEndpoint(delivery.data)) void attemptInTurn(put(delivery));
  }

  /** A different value, or none, means that the sandbox was reset or restored in the meantime. */
  function isCurrent(delivery: WebhookDelivery): boolean {
    return deliveries.get(delivery.id) === delivery;
  }

  async function attempt(delivery: WebhookDelivery): Promise<void> {
    const { id, attempts, data } = delivery;
    const merchant = merchants.find(data.merchantId);
    const endpoint = merchants.endpointOf(data.merchantId);
    if (!merchant || !endpoint || !isCurrent(delivery)) return;
    // The delivery's own stream: the order of attempts depends on how fast receivers respond.
    const deliveryId = attempts.length === 0 ? id : randomStream(id, `${attempts.length}`).uuid();
    // Receivers in other processes judge a webhook's age by real time.
    const nowMs = clock.receiversNowMs();
    const message = messageFor(delivery, deliveryId, merchant, nowMs, core);
    const request = { url: endpoint.url, ...message };
    const kind = delivery.disorder?.kind ?? null;
    const send = async (disorder: DisorderKind | null): Promise<WebhookAttempt> => {
      const at = clock.now().toISOString();
      const startedMs = performance.now();
      let result: Pick<WebhookAttempt, "status" | "answer" | "error">;
      try {
        // No webhook leaves before the change that it reports is durable.
        store.commit();
        const { status, headers, body } = await endpoint.send(request);
        const answer = {
          headers: keptHeaders(Object.entries(headers)),
          body: withoutSecrets(body),
        };
        result = { status, answer, error: null };
      } catch (reason) {
        const error = reason instanceof Error ? reason.message : `deliver threw ${show(reason)}`;
        result = { status: null, answer: null, error };
      }
      const durationMs = performance.now() - startedMs;
      return { deliveryId, at, request, disorder, ...result, durationMs };
    };
    const made = [await send(kind === "duplicate" ? null : kind)];
    if (kind === "duplicate" && isCurrent(delivery)) made.push(await send(kind));
    if (isCurrent(delivery)) conclude(delivery, made);
  }

  /** Resends the webhooks that were in flight when the snapshot was taken. */
  function sendWaiting(): void {
    for (const delivery of deliveries.values()) {
      const isWaiting = delivery.status === "pending" && delivery.nextAttemptAt === null;
      if (isWaiting) void attemptInTurn(delivery);
    }
  }

  function conclude(before: WebhookDelivery, made: readonly WebhookAttempt[]): void {
    const attempts = [...before.attempts, ...made];
    const answered = made[0]?.status ?? 0;
    const isDelivered = answered >= 200 && answered < 300;
    const counted = attempts.filter(({ disorder }) => disorder !== "duplicate").length;
    const delayMs = isDelivered ? undefined : retryDelaysMs[counted - 1];
    const status = isDelivered ? "delivered" : delayMs === undefined ? "failed" : "pending";
    const after = put({ ...before, attempts, disorder: null, status }, delayMs);
    const { id: deliveryId, event, data, nextAttemptAt } = after;
    const { id: subjectId, orderId = null } = data;
    for (const [index, { at, status, error, disorder }] of made.entries()) {
      const attempt = before.attempts.length + index + 1;
      const facts = { deliveryId, event, attempt, status, error, disorder, nextAttemptAt };
      events.emit({ type: "webhook.attempted", at, subjectId, orderId, ...facts });
    }
    for (const [heldId, awaited] of heldBack.entries()) {
      if (awaited === deliveryId) attemptNow(heldId);
    }
  }

  async function replay(deliveryId: string, options: ReplayOptions = {}): Promise<WebhookDelivery> {
    checkOptionNames(options, ["disorder", "by"]);
    const { disorder: kind, by } = options;
    const hasAttempt = ({ attempts }: WebhookDelivery) =>
      attempts.some((attempt) => attempt.deliveryId === deliveryId);
    const original = deliveries.get(deliveryId) ?? deliveries.values().find(hasAttempt);
    if (original === undefined) {
      throw new NotFoundError(
        "This sandbox has no webhook delivery with that id. Pass the id of one that it sent since its last reset.",
        { code: "not_found", param: "deliveryId" },
      );
    }
    const { event, data, eventId, occurredAt } = original;
    if (!hasEndpoint(data)) {
      const message =
        "There is no endpoint to deliver webhooks to. Pass webhookUrl or deliver to createSandbox, or --webhook-url " +
        "to `settlekit sandbox`.";
      throw invalidOption("webhookUrl", message, "no_webhook_endpoint");
    }
    const disorder = kind === undefined ? null : disorderOf(kind, by);
    return deliver({ event, data, eventId, occurredAt, disorder });
  }

  function disorder(kind: DisorderKind, options: DisorderOptions = {}): void {
    checkOptionNames(options, ["event", "by", "times", "probability"]);
    const { event = null, by, ...frequency } = options;
    const item = { ...disorderOf(kind, by), event };
    if (event !== null) checkName("event", event, webhookEventNames, "invalid_disorder");
    waiting.add(item, frequency);
  }

  return {
    publish,
    replay,
    disorder,
    disorders: waiting.waiting,
    clearDisorders: waiting.clear,
    deliveries: deliveries.values,
    idle: inFlight.idle,
  } satisfies SandboxWebhooks & Record<"publish", unknown>;
}

/** The request of one attempt, signed now, with the delivery's disorder. */
function messageFor(
  delivery: WebhookDelivery,
  deliveryId: string,
  { endpointId, webhookSecret }: SandboxMerchant,
  nowMs: number,
  { headerPrefix, dialect }: Core,
): WebhookParts {
  const { id, eventId, event, data, occurredAt, disorder } = delivery;
  const [kind = ""] = event.split(".");
  const due = kind === "payment" && { amountDueCents: data.amountInCents };
  const content =
    dialect === "published"
      ? { type: event, data: { [kind]: { ...data, ...due } }, timestamp: occurredAt }
      : { event, data };
  const ageMs = disorder?.kind === "stale-timestamp" ? disorder.byMs : 0;
  const { headers, body } = signWebhook({
    body: JSON.stringify(content),
    secret: disorder?.kind === "wrong-secret" ? anotherSecret : webhookSecret,
    timestamp: new Date(Math.max(nowMs - ageMs, 0)),
    headerPrefix,
    hints: { endpointId, eventId, deliveryId },
  });
  if (disorder?.kind !== "tamper") return { headers, body };
  const changed = tamperedWebhook({ headers, body }, randomStream(id, "tampering").fraction);
  return { headers: changed.headers, body: changed.body };
}

function snapshotOf(subject: Payment | Withdrawal): WebhookData {
  const { id, merchantId, amountInCents, currency, status, orderId = null, createdAt } = subject;
  const type = "type" in subject ? { type: subject.type } : {};
  return { id, ...type, merchantId, amountInCents, currency, status, orderId, createdAt };
}
