// What the interface document, and docs/sandbox.md where it is silent, say of the service: its states and
// what changes them. It shares no code with the sandbox, so that both cannot be wrong in the same way.

export interface Model {
  nowMs: number;
  /** Oldest first. */
  payments: ModelPayment[];
  /** Oldest first. */
  withdrawals: ModelWithdrawal[];
  /** Creations by their Idempotency-Key. */
  paymentKeys: Map<string, Kept>;
  withdrawalKeys: Map<string, Kept>;
  withdrawalIdempotency: "ignored" | "honoured" | "conflict";
  /** What the merchant's endpoint does with webhooks. */
  receiver: "accepts" | "refuses" | "breaks";
  deliveries: ModelDelivery[];
  due: Due[];
  nextRank: number;
}

export interface ModelPayment {
  readonly id: string;
  /** `undefined` while no answer has told it. */
  secret: string | undefined;
  readonly type: "payment" | "deposit";
  readonly orderId: string;
  amountInCents: number;
  status: "pending" | "completed" | "failed" | "expired";
  quotes: ModelQuote[];
  isReceived: boolean;
}

export interface ModelQuote {
  readonly id: string;
  /** Chain and contract. */
  readonly token: string;
  expectedAmountAsset: string;
  expiresMs: number;
  status: "active" | "expired" | "used";
}

export interface ModelWithdrawal {
  readonly id: string;
  readonly amountInCents: number;
  readonly orderId: string | undefined;
  status: "pending" | "processing" | "completed" | "failed" | "cancelled";
  updatedAt: string;
}

export interface Kept {
  readonly body: string;
  readonly keptMs: number;
  /** Of what was created. */
  readonly id: string;
  /** `undefined` while no answer has told it. */
  answer: unknown;
}

export interface ModelDelivery {
  readonly event: string;
  /** Of the payment or withdrawal. */
  readonly subject: string;
  readonly subjectStatus: string;
  attempts: number;
  status: "delivered" | "pending" | "failed";
}

type Due = { readonly atMs: number; readonly rank: number } & (
  | { readonly kind: "quotes" | "payment"; readonly paymentId: string }
  | { readonly kind: "retry"; readonly delivery: number }
  | { readonly kind: "key"; readonly operation: string; readonly key: string }
);

/** One request to the merchant's endpoint. */
export interface Attempt {
  readonly atMs: number;
  readonly event: string;
  readonly subject: string;
  readonly subjectStatus: string;
  readonly attempt: number;
}

/** Something that the passing of time brought about, in the words of the sandbox. */
export type ModelHappening =
  | { type: "quotes.expired"; at: string; paymentId: string; quoteIds: string[] }
  | { type: "payment.expired"; at: string; paymentId: string }
  | { type: "payment.moved" | "withdrawal.moved"; at: string; subject: string; status: string }
  | { type: "webhook.attempted"; at: string; event: string; attempt: number }
  | { type: "idempotency.ended"; at: string; operation: string; key: string };

const minuteMs = 60_000;
/** Published: ten minutes. */
export const quoteLifetimeMs = 10 * minuteMs;
/** Assumed in docs/sandbox.md. */
const paymentLifetimeMs = 15 * minuteMs;
/** Interface section 8. */
const idempotencyWindowMs = 24 * 60 * minuteMs;
/** Assumed in docs/sandbox.md. */
const retryDelaysMs = [30_000, 2 * minuteMs, 8 * minuteMs, 32 * minuteMs];

export function newModel(now: Date): Model {
  return {
    nowMs: now.getTime(),
    payments: [],
    withdrawals: [],
    paymentKeys: new Map(),
    withdrawalKeys: new Map(),
    withdrawalIdempotency: "ignored",
    receiver: "accepts",
    deliveries: [],
    due: [],
    nextRank: 0,
  };
}

/** What a key still stands for: nothing after 24 hours. */
export function kept(keys: Map<string, Kept>, key: string | undefined, nowMs: number) {
  const found = key === undefined ? undefined : keys.get(key);
  return found && nowMs - found.keptMs < idempotencyWindowMs ? found : undefined;
}

/** Has a key stand for a creation from now on. */
export function keep(
  model: Model,
  operation: "payments.create" | "withdrawals.create",
  key: string,
  creation: Omit<Kept, "keptMs">,
): void {
  const keys = operation === "payments.create" ? model.paymentKeys : model.withdrawalKeys;
  keys.set(key, { ...creation, keptMs: model.nowMs });
  schedule(model, idempotencyWindowMs, { kind: "key", operation, key });
}

/** Adds a payment that was just created. Gives what the merchant is sent. */
export function addPayment(model: Model, payment: ModelPayment): Attempt[] {
  model.payments.push(payment);
  if (payment.quotes.length > 0) scheduleQuotes(model, payment);
  schedule(model, paymentLifetimeMs, { kind: "payment", paymentId: payment.id });
  return publish(model, "payment.created", payment);
}

export function scheduleQuotes(model: Model, { id }: ModelPayment): void {
  schedule(model, quoteLifetimeMs, { kind: "quotes", paymentId: id });
}

/** Ends a payment. The quote that was paid is used, the others are over. */
export function endPayment(
  model: Model,
  payment: ModelPayment,
  status: ModelPayment["status"],
  paidQuoteId?: string,
): Attempt[] {
  payment.status = status;
  for (const quote of payment.quotes) {
    if (quote.id === paidQuoteId) quote.status = "used";
    else if (quote.status === "active") quote.status = "expired";
  }
  return publish(model, "payment.updated", payment);
}

export function addWithdrawal(model: Model, withdrawal: ModelWithdrawal): Attempt[] {
  model.withdrawals.push(withdrawal);
  return publish(model, "withdrawal.created", withdrawal);
}

export function moveWithdrawal(
  model: Model,
  withdrawal: ModelWithdrawal,
  status: ModelWithdrawal["status"],
): Attempt[] {
  withdrawal.status = status;
  return publish(model, "withdrawal.updated", withdrawal);
}

/** Interface section 6: an event for each creation and each change of status. */
function publish(
  model: Model,
  event: string,
  { id, status }: { readonly id: string; readonly status: string },
): Attempt[] {
  const delivery = { event, subject: id, subjectStatus: status };
  model.deliveries.push({ ...delivery, attempts: 0, status: "pending" });
  return [attempt(model, model.deliveries.length - 1)];
}

/** Sends an event once more, as a delivery of its own. */
export function redeliver(model: Model, { event, subject, subjectStatus }: ModelDelivery) {
  return publish(model, event, { id: subject, status: subjectStatus });
}

function attempt(model: Model, index: number): Attempt {
  const delivery = model.deliveries[index];
  if (delivery === undefined) throw new Error(`The model has no delivery ${index}.`);
  delivery.attempts++;
  const delayMs = retryDelaysMs[delivery.attempts - 1];
  if (model.receiver === "accepts") delivery.status = "delivered";
  else if (delayMs === undefined) delivery.status = "failed";
  else schedule(model, delayMs, { kind: "retry", delivery: index });
  const { event, subject, subjectStatus, attempts } = delivery;
  return { atMs: model.nowMs, event, subject, subjectStatus, attempt: attempts };
}

type DueWork = Due extends infer Each
  ? Each extends Due
    ? Omit<Each, "atMs" | "rank">
    : never
  : never;

function schedule(model: Model, delayMs: number, work: DueWork): void {
  model.due.push({ ...work, atMs: model.nowMs + delayMs, rank: model.nextRank++ } as Due);
}

/** Lets time pass: everything that falls due happens in its order. */
export function advance(model: Model, durationMs: number) {
  const untilMs = model.nowMs + durationMs;
  const happenings: ModelHappening[] = [];
  const attempts: Attempt[] = [];
  for (;;) {
    const [next] = model.due
      .filter(({ atMs }) => atMs <= untilMs)
      .sort((a, b) => a.atMs - b.atMs || a.rank - b.rank);
    if (next === undefined) break;
    model.due.splice(model.due.indexOf(next), 1);
    model.nowMs = next.atMs;
    const sent = next.kind === "retry" ? [attempt(model, next.delivery)] : [];
    const ended = next.kind === "retry" ? [] : end(model, next, sent);
    attempts.push(...sent);
    happenings.push(...ended, ...sent.map(asHappening));
  }
  model.nowMs = untilMs;
  return { happenings, attempts };
}

function end(
  model: Model,
  due: Exclude<Due, { kind: "retry" }>,
  sent: Attempt[],
): ModelHappening[] {
  if (due.kind !== "key") return expire(model, due, sent);
  const { operation, key } = due;
  return [{ type: "idempotency.ended", at: new Date(model.nowMs).toISOString(), operation, key }];
}

function expire(
  model: Model,
  { kind, paymentId }: Extract<Due, { paymentId: string }>,
  sent: Attempt[],
): ModelHappening[] {
  const payment = model.payments.find(({ id }) => id === paymentId);
  if (payment?.status !== "pending") return [];
  const at = new Date(model.nowMs).toISOString();
  if (kind === "payment") {
    sent.push(...endPayment(model, payment, "expired"));
    return [{ type: "payment.expired", at, paymentId }];
  }
  const over = payment.quotes.filter(
    ({ status, expiresMs }) => status === "active" && expiresMs <= model.nowMs,
  );
  for (const quote of over) quote.status = "expired";
  const quoteIds = over.map(({ id }) => id);
  return over.length === 0 ? [] : [{ type: "quotes.expired", at, paymentId, quoteIds }];
}

function asHappening({ atMs, event, attempt }: Attempt): ModelHappening {
  return { type: "webhook.attempted", at: new Date(atMs).toISOString(), event, attempt };
}
