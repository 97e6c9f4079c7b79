import type { Payment } from "../wire/payment.ts";
import type { WebhookEvents } from "../wire/webhook-event.ts";
import type { Clock } from "./clock.ts";
import { closedQuotes, quoteLifetimeMs, quotesFor } from "./quotes.ts";
import type { RandomSource } from "./random.ts";
import { createRecords } from "./records.ts";

/** How long a customer has to pay (assumed). */
const paymentLifetimeMs = 15 * 60_000;

const merchantShortName = "Sandbox Merchant";

interface NewPayment {
  readonly type: "payment" | "deposit";
  /** USD cents; 0 for a deposit, whose amount the customer chooses later (assumed). */
  readonly amountInCents: number;
  readonly orderId: string;
  readonly redirectUrl: string | undefined;
}

/**
 * The payments of a sandbox. Each is an unchanging value: a transition puts another in its place, so
 * answers, receipts and kept creations share their parts instead of copying them.
 */
export interface Payments {
  create(fields: NewPayment): { readonly payment: Payment; readonly secret: string };
  /** The payment secret, which opens the customer-scoped routes. */
  secretOf(paymentId: string): string | undefined;
  find(paymentId: string): Payment | undefined;
  /** Oldest first. */
  all(): readonly Payment[];
  /** Replaces a payment by its next state; tells the merchant. */
  transition(payment: Payment, changes: Partial<Payment>): Payment;
  /** Ends a payment that nobody paid. */
  expire(payment: Payment): Payment;
  clear(): void;
}

export interface PaymentsOptions {
  readonly merchantId: string;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly publish: (event: "payment.created" | "payment.updated", data: PaymentSnapshot) => void;
}

/** What webhooks tell of a payment. */
type PaymentSnapshot = WebhookEvents["payment.updated"] & { readonly id: string };

export function createPayments({ merchantId, clock, random, publish }: PaymentsOptions): Payments {
  const payments = createRecords<Payment>();
  const secrets = new Map<string, string>();

  function create({ type, amountInCents, orderId, redirectUrl }: NewPayment) {
    const nowMs = clock.nowMs();
    const createdAt = new Date(nowMs).toISOString();
    const draws = random.stream("payments");
    const id = draws.uuid();
    const address = { id: draws.uuid(), paymentId: id, type: "EVM", address: draws.address() };
    const payment: Payment = {
      id,
      merchantId,
      merchantShortName,
      type,
      amountInCents,
      currency: "USD",
      status: "pending",
      depositAddress: { ...address, createdAt },
      quotes:
        type === "deposit" ? [] : quotesFor({ paymentId: id, amountInCents, nowMs, random: draws }),
      receipt: null,
      orderId,
      ...(redirectUrl === undefined ? {} : { redirectUrl }),
      createdAt,
    };
    const secret = `ps_${draws.hex(24)}`;
    payments.put(payment);
    secrets.set(id, secret);
    if (payment.quotes.length > 0) clock.schedule(nowMs + quoteLifetimeMs, () => expireQuotes(id));
    clock.schedule(nowMs + paymentLifetimeMs, () => expireUnpaid(id));
    publish("payment.created", snapshotOf(payment));
    return { payment, secret };
  }

  function transition(payment: Payment, changes: Partial<Payment>): Payment {
    const next = { ...payment, ...changes };
    payments.put(next);
    publish("payment.updated", snapshotOf(next));
    return next;
  }

  function expire(payment: Payment): Payment {
    return transition(payment, { status: "expired", quotes: closedQuotes(payment.quotes) });
  }

  function expireQuotes(id: string): void {
    const payment = payments.find(id);
    if (payment?.status !== "pending") return;
    const quoteIds = payment.quotes.filter(isActive).map((quote) => quote.id);
    payments.put({ ...payment, quotes: closedQuotes(payment.quotes) });
    const at = new Date(clock.nowMs()).toISOString();
    clock.report({ at, type: "quotes.expired", paymentId: id, quoteIds });
  }

  function expireUnpaid(id: string): void {
    const payment = payments.find(id);
    if (payment?.status !== "pending") return;
    expire(payment);
    const at = new Date(clock.nowMs()).toISOString();
    clock.report({ at, type: "payment.expired", paymentId: id, orderId: payment.orderId ?? "" });
  }

  return {
    create,
    secretOf: (paymentId) => secrets.get(paymentId),
    find: payments.find,
    all: payments.all,
    transition,
    expire,
    clear() {
      payments.clear();
      secrets.clear();
    },
  };
}

function isActive(quote: { readonly status: string }): boolean {
  return quote.status === "active";
}

function snapshotOf(payment: Payment): PaymentSnapshot {
  const { id, type, merchantId, amountInCents, currency, status, orderId, createdAt } = payment;
  return {
    id,
    type,
    merchantId,
    amountInCents,
    currency,
    status,
    orderId: orderId ?? null,
    createdAt,
  };
}
