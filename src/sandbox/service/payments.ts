import { parsedJson } from "../../values.ts";
import type { CreatePaymentBody, Payment } from "../../wire/payment.ts";
import type { Quote } from "../../wire/quote.ts";
import type { Core } from "../core.ts";
import type { Publish } from "../webhooks/deliveries.ts";
import type { SandboxMerchant } from "./merchants.ts";
import { closedQuotes, isActive, quoteFor, quoteLifetimeMs, withQuote } from "./quotes.ts";
import { tokens } from "./tokens.ts";

/** How long a customer has to pay (assumed). */
const paymentLifetimeMs = 15 * 60_000;

export type Payments = ReturnType<typeof createPayments>;

/**
 * The payments of a sandbox. Payments are immutable and transitions replace them, so that responses, receipts and
 * idempotency keys can share their parts.
 */
export function createPayments({ clock, random, events, store }: Core, publish: Publish) {
  const payments = store.table<Payment>("payments");
  /** Fields that responses leave out. The payment page leads to `returnUrl`: the redirectUrl with metadata. */
  const details = store.table<{ secret: string; returnUrl?: string }>("payment details");
  const scheduleQuotesExpiry = clock.onDue("quotes", expireQuotes);
  const scheduleExpiry = clock.onDue("payment", (id) => {
    const payment = payments.get(id);
    if (payment?.status === "pending") transition(payment, { status: "expired" });
  });

  /** @param amountInCents 0 for a deposit, whose amount the customer chooses later (assumed). */
  function create(merchant: SandboxMerchant, body: CreatePaymentBody, amountInCents: number) {
    const { type = "payment", orderId, redirectUrl } = body;
    const nowMs = clock.nowMs();
    const createdAt = new Date(nowMs).toISOString();
    const draws = random.stream("payments");
    const id = draws.uuid();
    const address = { id: draws.uuid(), paymentId: id, type: "EVM", address: draws.address() };
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
      quotes: tokens.map((token) => quoteFor(token, request, draws.uuid())),
      receipt: null,
      orderId,
      ...(redirectUrl === undefined ? {} : { redirectUrl }),
      createdAt,
    };
    const secret = `ps_${draws.hex(24)}`;
    payments.set(id, payment);
    const returnUrl = returnUrlFor(body);
    details.set(id, { secret, ...(returnUrl !== undefined && { returnUrl }) });
    scheduleQuotesExpiry(id, nowMs + quoteLifetimeMs);
    scheduleExpiry(id, nowMs + paymentLifetimeMs);
    publish("payment.created", payment, { type: "payment.created", ...factsOf(payment) });
    return { payment, secret };
  }

  /** Replaces a payment with its next state, without active quotes. A new status sends a webhook. */
  function transition(payment: Payment, { quotes = payment.quotes, ...changes }: Partial<Payment>) {
    const next = { ...payment, ...changes, quotes: closedQuotes(quotes) };
    payments.set(next.id, next);
    const facts = factsOf(next);
    const { confirmations = null, requiredConfirmations = null } = next.receipt ?? {};
    const move = { type: "payment.moved", ...facts, confirmations, requiredConfirmations } as const;
    const expired = { type: "payment.expired", ...facts } as const;
    if (next.status === payment.status) events.emitEffect({ ...move, eventId: null, event: null });
    else publish("payment.updated", next, next.status === "expired" ? expired : move);
    return next;
  }

  /**
   * Adds a quote to a pending payment, or replaces the quote with its id. A different amount expires the other quotes.
   * The status does not change, so no webhook is sent.
   */
  function offer(payment: Payment, quote: Quote, amountInCents: number): void {
    const isSameAmount = amountInCents === payment.amountInCents;
    const others = isSameAmount ? payment.quotes : closedQuotes(payment.quotes);
    payments.set(payment.id, { ...payment, amountInCents, quotes: withQuote(others, quote) });
    scheduleQuotesExpiry(payment.id, Date.parse(quote.expiresAt));
  }

  function expireQuotes(id: string): void {
    const payment = payments.get(id);
    if (payment?.status !== "pending") return;
    const at = clock.now().toISOString();
    // Both are ISO 8601 in UTC, so they compare as text.
    const ranOut = (quote: Quote) => isActive(quote) && quote.expiresAt <= at;
    const quoteIds = payment.quotes.filter(ranOut).map((quote) => quote.id);
    if (quoteIds.length === 0) return;
    payments.set(id, { ...payment, quotes: closedQuotes(payment.quotes, ranOut) });
    const { paymentId, orderId } = factsOf(payment);
    events.emitEffect({ type: "quotes.expired", paymentId, orderId, quoteIds });
  }

  return {
    create,
    detailsOf: details.get,
    find: payments.get,
    /** Of all merchants, oldest first. */
    all: payments.values,
    transition,
    offer,
    /** When an unpaid payment expires, in milliseconds since 1970. */
    expiresMs: ({ createdAt }: Payment) => Date.parse(createdAt) + paymentLifetimeMs,
  };
}

/** The redirectUrl with the given metadata added, and otherwise unchanged (assumed). */
function returnUrlFor({ type, redirectUrl, customMetadata, customerRefId }: CreatePaymentBody) {
  if (redirectUrl === undefined) return undefined;
  const url = new URL(redirectUrl);
  const added = type === "deposit" ? { customMetadata, customerRefId } : { customMetadata };
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) continue;
    // Only the newest description takes metadata that is not JSON: parameters of the query.
    const isQuery = name === "customMetadata" && parsedJson(value) === undefined;
    // Otherwise half of a surrogate pair would throw.
    const query = isQuery ? value : `${name}=${encodeURIComponent(value.toWellFormed())}`;
    url.search += (url.search && "&") + query;
  }
  return url.href;
}

function factsOf({ id: paymentId, orderId, status }: Payment) {
  return { paymentId, orderId: orderId ?? "", status };
}
