import type { Attempt, DisorderName, Model, ModelDelivery } from "./model.ts";
import { schedule } from "./model.ts";

const minuteMs = 60_000;
/** Assumed in docs/sandbox-reference.md. */
const retryDelaysMs = [30_000, 2 * minuteMs, 8 * minuteMs, 32 * minuteMs];

/** Interface section 6: an event for each creation and each change of status. */
export function publish(
  model: Model,
  event: string,
  { id, status }: { readonly id: string; readonly status: string },
): void {
  const met = model.disorders.find((it) => it.event === undefined || it.event === event);
  if (met !== undefined) met.times--;
  model.disorders = model.disorders.filter(({ times }) => times > 0);
  add(model, { event, subject: id, subjectStatus: status }, met?.kind);
}

/** Sends an event once more, as a delivery of its own. */
export function redeliver(
  model: Model,
  { event, subject, subjectStatus }: ModelDelivery,
  disorder: DisorderName | undefined,
): Attempt[] {
  add(model, { event, subject, subjectStatus }, disorder);
  return sendAll(model);
}

function add(
  model: Model,
  facts: Pick<ModelDelivery, "event" | "subject" | "subjectStatus">,
  disorder: DisorderName | undefined,
): void {
  const isHeldBack = disorder === "reorder";
  const waits = isHeldBack || disorder === "delay";
  const nextMs = waits ? model.nowMs + minuteMs : undefined;
  const index = model.deliveries.length;
  const counts = { attempts: 0, duplicates: 0 };
  model.deliveries.push({ ...facts, ...counts, status: "pending", disorder, isHeldBack, nextMs });
  if (nextMs === undefined) model.outbox.push(index);
  else schedule(model, nextMs, { kind: "delivery", delivery: index });
}

/** Sends a delivery that is due now, unless it was already sent. */
export function sendDue(model: Model, index: number): void {
  const { nextMs } = model.deliveries[index] ?? {};
  if (nextMs !== undefined && nextMs <= model.nowMs) release(model, index);
}

function release(model: Model, index: number): void {
  const delivery = model.deliveries[index];
  if (delivery === undefined) throw new Error(`The model has no delivery ${index}.`);
  delivery.isHeldBack = false;
  delivery.nextMs = undefined;
  model.outbox.push(index);
}

/** Sends everything that is due to the merchant's endpoint. */
export function sendAll(model: Model): Attempt[] {
  const attempts: Attempt[] = [];
  for (let index = model.outbox.shift(); index !== undefined; index = model.outbox.shift()) {
    attempts.push(...attempt(model, index));
  }
  return attempts;
}

const forgeries: readonly (string | undefined)[] = ["tamper", "stale-timestamp", "wrong-secret"];

function attempt(model: Model, index: number): Attempt[] {
  const delivery = model.deliveries[index];
  if (delivery === undefined) throw new Error(`The model has no delivery ${index}.`);
  const { event, subject, subjectStatus, disorder } = delivery;
  const isForged = forgeries.includes(disorder);
  const facts = { atMs: model.nowMs, event, subject, subjectStatus, isForged };
  const made = [{ ...facts, attempt: ++delivery.attempts }];
  if (disorder === "duplicate") {
    delivery.duplicates++;
    made.push({ ...facts, attempt: ++delivery.attempts });
  }
  delivery.disorder = undefined;

  const delayMs = retryDelaysMs[delivery.attempts - delivery.duplicates - 1];
  if (model.receiver === "accepts" && !isForged) delivery.status = "delivered";
  else if (delayMs === undefined) delivery.status = "failed";
  else {
    delivery.nextMs = model.nowMs + delayMs;
    schedule(model, delivery.nextMs, { kind: "delivery", delivery: index });
  }
  // It overtakes the one before it.
  const before = model.deliveries.findLastIndex(
    (it, other) => it.subject === subject && other < index,
  );
  if (model.deliveries[before]?.isHeldBack) release(model, before);
  return made;
}
