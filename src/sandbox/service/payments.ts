import type { CreatePaymentBody, Payment } from "../../wire/payment.ts";
import type { Quote } from "../../wire/quote.ts";
import type { Core } from "../core.ts";
import type { NewChange } from "../event-bus.ts";
import { createRecords } from "../state/store.ts";
import type { Publish } from "../webhooks/deliveries.ts";
import type { Merchant } from "./merchants.ts";
import { closedQuotes, isActive, quoteFor, quoteLifetimeMs } from "./quotes.ts";
import { pricedTokens } from "./tokens.ts";

/** How long a customer has to pay (assumed). */
const paymentLifetimeMs = 15 * 60_000;

interface NewPayment extends Omit<CreatePaymentBody, "amount"> {
  readonly merchant: Pick<Merchant, "merchantId" | "name">;
  readonly type: "payment" | "deposit";
  /** USD cents; 0 for a deposit, whose amount the customer chooses later (assumed). */
  readonly amountInCents: number;
}

/** Details of a payment that its answers do not show. */
interface PaymentDetails {
  readonly secret: string;
  /** Where its page leads after the payment. */
  readonly returnUrl?: string;
}

export type Payments = ReturnType<typeof createPayments>;

/**
 * The payments of a sandbox. Each is immutable and replaced by transitions, so that answers, receipts and stored
 * creations can share its parts.
 */
export function createPayments({ clock, random, events, store }: Core, publish: Publish) {
  const payments = createRecords<Payment>(store, "payments");
  const details = store.table<PaymentDetails>("payment details");
  clock.onDue("quotes", expireQuotes);
  clock.onDue("payment", expireUnpaid);

  function create(fields: NewPayment) {
    const { merchant, type, amountInCents, orderId, redirectUrl } = fields;
    const nowMs = clock.nowMs();
    const createdAt = new Date(nowMs).toISOString();
    const draws = random.stream("payments");
    const id = draws.uuid();
    const address = { id: draws.uuid(), paymentId: id, type: "EVM", address: draws.address() };
    const payment: Payment = {
      id,
      merchantId: merchant.merchantId,
      merchantShortName: merchant.name,
      type,
      amountInCents,
      currency: "USD",
      status: "pending",
      depositAddress: { ...address, createdAt },
      quotes:
        type === "deposit"
          ? []
          : pricedTokens.map((priced) =>
              quoteFor(priced, { paymentId: id, amountInCents, nowMs }, draws.uuid()),
            ),
      receipt: null,
      orderId,
      ...(redirectUrl === undefined ? {} : { redirectUrl }),
      createdAt,
    };
    const secret = `ps_${draws.hex(24)}`;
    payments.put(payment);
    const returnUrl = returnUrlFor(fields);
    details.set(id, { secret, ...(returnUrl === undefined ? {} : { returnUrl }) });
    if (payment.quotes.length > 0) {
      clock.schedule({ dueMs: nowMs + quoteLifetimeMs, kind: "quotes", subject: id });
    }
    clock.schedule({ dueMs: nowMs + paymentLifetimeMs, kind: "payment", subject: id });
    const { status } = payment;
    publish("payment.created", payment, {
      type: "payment.created",
      paymentId: id,
      orderId,
      status,
    });
    return { payment, secret };
  }

  /** Replaces a payment by its next state; sends a webhook when the status changed. */
  function transition(payment: Payment, changes: Partial<Payment>): Payment {
    const next = { ...payment, ...changes };
    payments.put(next);
    if (next.status !== payment.status) {
      publish("payment.updated", next, changeTo(next));
    } else if (next.receipt !== payment.receipt) {
      const at = clock.now().toISOString();
      events.emit({ ...movedTo(next), at, eventId: null, event: null });
    }
    return next;
  }

  function expire(payment: Payment): Payment {
    return transition(payment, { status: "expired", quotes: closedQuotes(payment.quotes) });
  }

  /**
   * Adds a quote to a pending payment, or replaces the one with its id. Another amount expires the other quotes. The
   * status does not change, so no webhook is sent.
   */
  function offer(payment: Payment, quote: Quote, amountInCents: number): void {
    const isSameAmount = amountInCents === payment.amountInCents;
    const others = isSameAmount ? payment.quotes : closedQuotes(payment.quotes);
    const place = others.findIndex(({ id }) => id === quote.id);
    const quotes = place < 0 ? [...others, quote] : others.with(place, quote);
    payments.put({ ...payment, amountInCents, quotes });
    clock.schedule({ dueMs: Date.parse(quote.expiresAt), kind: "quotes", subject: payment.id });
  }

  function expireQuotes(id: string): void {
    const payment = payments.find(id);
    if (payment?.status !== "pending") return;
    const at = clock.now().toISOString();
    // Both are ISO 8601 in UTC, so they compare as text.
    const ranOut = (quote: Quote) => isActive(quote) && quote.expiresAt <= at;
    const quoteIds = payment.quotes.filter(ranOut).map((quote) => quote.id);
    if (quoteIds.length === 0) return;
    const quotes = payment.quotes.map(
      (quote): Quote => (ranOut(quote) ? { ...quote, status: "expired" } : quote),
    );
    payments.put({ ...payment, quotes });
    events.emit({ at, type: "quotes.expired", paymentId: id, quoteIds });
  }

  function expireUnpaid(id: string): void {
    const payment = payments.find(id);
    if (payment?.status === "pending") expire(payment);
  }

  return {
    create,
    /** The payment secret, which opens the customer-scoped routes. */
    secretOf: (paymentId: string) => details.get(paymentId)?.secret,
    /** Where the customer returns after the payment: its redirectUrl, with the metadata that comes back. */
    returnUrlOf: (paymentId: string) => details.get(paymentId)?.returnUrl,
    find: payments.find,
    all: payments.all,
    allOf: payments.allOf,
    transition,
    offer,
    expire,
    /** When an unpaid payment expires or expired: milliseconds since 1970. */
    expiresMs: ({ createdAt }: Payment) => Date.parse(createdAt) + paymentLifetimeMs,
  };
}

/** Adds only what was given, and leaves the rest of the URL as written (assumed). */
function returnUrlFor({ type, redirectUrl, customMetadata, customerRefId }: NewPayment) {
  if (redirectUrl === undefined) return undefined;
  const url = new URL(redirectUrl);
  const added = type === "deposit" ? { customMetadata, customerRefId } : { customMetadata };
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) continue;
    url.search += `${url.search === "" ? "?" : "&"}${name}=${encodeURIComponent(value)}`;
  }
  return url.href;
}

function changeTo(payment: Payment): NewChange {
  const moved = movedTo(payment);
  const { paymentId, orderId, status } = moved;
  return status === "expired" ? { type: "payment.expired", paymentId, orderId, status } : moved;
}

function movedTo({ id: paymentId, orderId, status, receipt }: Payment) {
  const { confirmations = null, requiredConfirmations = null } = receipt ?? {};
  const facts = { paymentId, orderId: orderId ?? "", status };
  return { type: "payment.moved", ...facts, confirmations, requiredConfirmations } as const;
}
