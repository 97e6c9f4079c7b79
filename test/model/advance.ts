import type { Quote } from "../../src/wire/quote.ts";
import { isOver, moveWithdrawal, scheduleStep, takePaymentStep } from "./changes.ts";
import { sendAll, sendDue } from "./deliveries.ts";
import type { Attempt, Due, Model } from "./model.ts";

/** An event caused by the passing of time, as the sandbox names it. */
export type ModelHappening =
  | { type: "quotes.expired"; at: string; paymentId: string; quoteIds: string[] }
  | { type: "payment.expired"; at: string; paymentId: string }
  | { type: "payment.moved" | "withdrawal.moved"; at: string; subject: string; status: string }
  | { type: "webhook.attempted"; at: string; event: string; attempt: number };

/** The quote of a payment that was paid, if any; only the sandbox knows it. */
type PaidQuoteOf = (paymentId: string) => Quote | undefined;

/** Advances the time; everything that becomes due happens in order. */
export function advance(model: Model, durationMs: number, paidQuoteOf: PaidQuoteOf) {
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
    happenings.push(...settle(model, next, paidQuoteOf));
    const sent = sendAll(model);
    attempts.push(...sent);
    happenings.push(...sent.map(asHappening));
  }
  model.nowMs = untilMs;
  return { happenings, attempts };
}

function settle(model: Model, due: Due, paidQuoteOf: PaidQuoteOf): ModelHappening[] {
  switch (due.kind) {
    case "delivery":
      sendDue(model, due.delivery);
      return [];
    case "payment step":
      return stepPayment(model, due.id, paidQuoteOf);
    case "withdrawal step":
      return stepWithdrawal(model, due.id);
    default:
      return expire(model, due.kind, due.paymentId);
  }
}

function stepPayment(model: Model, id: string, paidQuoteOf: PaidQuoteOf): ModelHappening[] {
  const payment = model.payments.find((it) => it.id === id);
  const [step] = payment?.ahead ?? [];
  // The step was already taken by hand.
  if (payment === undefined || step?.dueMs === undefined || step.dueMs > model.nowMs) return [];
  payment.ahead.shift();
  scheduleStep(model, "payment step", payment);
  if (isOver(payment, step)) return [];
  takePaymentStep(model, payment, step, paidQuoteOf(id));
  const at = new Date(model.nowMs).toISOString();
  return [{ type: "payment.moved", at, subject: id, status: step.status }];
}

function stepWithdrawal(model: Model, id: string): ModelHappening[] {
  const withdrawal = model.withdrawals.find((it) => it.id === id);
  const [step] = withdrawal?.ahead ?? [];
  if (withdrawal === undefined || step?.dueMs === undefined || step.dueMs > model.nowMs) return [];
  withdrawal.ahead.shift();
  scheduleStep(model, "withdrawal step", withdrawal);
  moveWithdrawal(model, withdrawal, step.status);
  const at = new Date(model.nowMs).toISOString();
  return [{ type: "withdrawal.moved", at, subject: id, status: step.status }];
}

function expire(model: Model, kind: "quotes" | "payment", paymentId: string): ModelHappening[] {
  const payment = model.payments.find(({ id }) => id === paymentId);
  if (payment?.status !== "pending") return [];
  const at = new Date(model.nowMs).toISOString();
  if (kind === "payment") {
    const { amountInCents } = payment;
    const step = { status: "expired", confirmations: null, amountInCents } as const;
    takePaymentStep(model, payment, step, undefined);
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
