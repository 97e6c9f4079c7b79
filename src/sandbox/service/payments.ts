import type { CreatePaymentBody, Payment } from "../../wire/payment.ts";
import type { Quote } from "../../wire/quote.ts";
import type { Core } from "../core.ts";
import type { Publish } from "../webhooks/deliveries.ts";
import type { Merchant } from "./merchants.ts";
import { closedQuotes, isActive, quoteFor, quoteLifetimeMs, withQuote } from "./quotes.ts";
import { pricedTokens } from "./tokens.ts";

/** How long a customer has to pay (assumed). */
const paymentLifetimeMs = 15 * 60_000;

interface NewPayment extends Omit<CreatePaymentBody, "amount"> {
  readonly merchant: Pick<Merchant, "merchantId" | "name">;
  readonly type: "payment" | "deposit";
  /** USD cents; 0 for a deposit, whose amount the customer chooses later (assumed). */
  readonly amountInCents: number;
}

export type Payments = ReturnType<typeof createPayments>;

/**
 * The payments of a sandbox. Each is immutable and replaced by transitions, so that answers, receipts and stored
 * creations can share its parts.
 */
export function createPayments({ clock, random, events, store }: Core, publish: Publish) {
  const payments = store.table<Payment>("payments");
  /** What the answers of a payment do not show; its page leads to the returnUrl. */
  const details = store.table<{ secret: string; returnUrl?: string }>("payment details");
  clock.onDue("quotes", expireQuotes);
  clock.onDue("payment", (id) => {
    const payment = payments.get(id);
    if (payment?.status === "pending") expire(payment);
  });

  function create(fields: NewPayment) {
    const { merchant, type, amountInCents, orderId, redirectUrl } = fields;
    const nowMs = clock.nowMs();
    const createdAt = new Date(nowMs).toISOString();
    const draws = random.stream("payments");
    const id = draws.uuid();
    const address = { id: draws.uuid(), paymentId: id, type: "EVM", address: draws.address() };
    const offered = type === "deposit" ? [] : pricedTokens;
    const request = { paymentId: id, amountInCents, nowMs };
    const payment: Payment = {
      id,
      merchantId: merchant.merchantId,
      merchantShortName: merchant.name,
      type,
      amountInCents,
      currency: "USD",
      status: "pending",
      depositAddress: { ...address, createdAt },
      quotes: offered.map((priced) => quoteFor(priced, request, draws.uuid())),
      receipt: null,
      orderId,
      ...(redirectUrl === undefined ? {} : { redirectUrl }),
      createdAt,
    };
    const secret = `ps_${draws.hex(24)}`;
    put(payment);
    const returnUrl = returnUrlFor(fields);
    details.set(id, { secret, ...(returnUrl === undefined ? {} : { returnUrl }) });
    if (payment.quotes.length > 0) {
      clock.schedule({ dueMs: nowMs + quoteLifetimeMs, kind: "quotes", subject: id });
    }
    clock.schedule({ dueMs: nowMs + paymentLifetimeMs, kind: "payment", subject: id });
    publish("payment.created", payment, { type: "payment.created", ...factsOf(payment) });
    return { payment, secret };
  }

  function put(payment: Payment): void {
    payments.set(payment.id, payment);
  }

  /** Replaces a payment by its next state; sends a webhook when the status changed. */
  function transition(payment: Payment, changes: Partial<Payment>): Payment {
    const next = { ...payment, ...changes };
    put(next);
    const facts = factsOf(next);
    const { confirmations = null, requiredConfirmations = null } = next.receipt ?? {};
    const moved = {
      type: "payment.moved",
      ...facts,
      confirmations,
      requiredConfirmations,
    } as const;
    if (next.status !== payment.status) {
      const change =
        next.status === "expired" ? ({ type: "payment.expired", ...facts } as const) : moved;
      publish("payment.updated", next, change);
    } else if (next.receipt !== payment.receipt) {
      events.emit({ ...moved, at: clock.now().toISOString(), eventId: null, event: null });
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
    put({ ...payment, amountInCents, quotes: withQuote(others, quote) });
    clock.schedule({ dueMs: Date.parse(quote.expiresAt), kind: "quotes", subject: payment.id });
  }

  function expireQuotes(id: string): void {
    const payment = payments.get(id);
    if (payment?.status !== "pending") return;
    const at = clock.now().toISOString();
    // Both are ISO 8601 in UTC, so they compare as text.
    const ranOut = (quote: Quote) => isActive(quote) && quote.expiresAt <= at;
    const quoteIds = payment.quotes.filter(ranOut).map((quote) => quote.id);
    if (quoteIds.length === 0) return;
    put({ ...payment, quotes: closedQuotes(payment.quotes, ranOut) });
    events.emit({ at, type: "quotes.expired", paymentId: id, quoteIds });
  }

  return {
    create,
    /** The payment secret, which opens the customer-scoped routes. */
    secretOf: (paymentId: string) => details.get(paymentId)?.secret,
    /** Where the customer returns after the payment: its redirectUrl, with the metadata that comes back. */
    returnUrlOf: (paymentId: string) => details.get(paymentId)?.returnUrl,
    find: payments.get,
    /** Of all merchants, oldest first. */
    all: payments.values,
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

function factsOf({ id: paymentId, orderId, status }: Payment) {
  return { paymentId, orderId: orderId ?? "", status };
}
