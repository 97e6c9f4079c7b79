import type { SettlekitError } from "../../errors.ts";
import type { Payment, PaymentStatus } from "../../wire/payment.ts";
import { isPaid } from "../../wire/payment-status.ts";
import { dueCents, type Known, transactionOf } from "./state.ts";

/** The facts of a payment in events: what its customer may know, never the secret. */
export interface CheckoutFacts {
  readonly paymentId: string;
  readonly status: PaymentStatus;
  /** The merchant's own reference; null if there is none. */
  readonly orderId: string | null;
  /** USD cents, without fees. */
  readonly amountInCents: number;
  /** The customer's total in USD cents, fees included; null until a deposit has an amount. */
  readonly amountDueCents: number | null;
  /** The amount received, as a decimal USD value; null before that. */
  readonly receivedUsd: string | null;
  /** Hash of the transaction that delivered the money; null before that. */
  readonly transactionHash: string | null;
}

/** An error, described for the developer. The customer sees a separate text. */
export interface CheckoutProblem {
  /** Empty if no payment could be identified. */
  readonly paymentId: string;
  /** Stable and machine-readable, such as `wallet_rejected` or `quote_expired`. */
  readonly code: string;
  /** The problem and its cure, in English. */
  readonly message: string;
}

/** The element's events. They bubble, and cross shadow boundaries. */
export interface CheckoutEventMap {
  /** The status was read for the first time, or has changed. */
  "settlekit-change": CustomEvent<CheckoutFacts>;
  /** The payment is paid: `completed` or `confirmed`. Sent once. Ship the order on your webhook, not on this event. */
  "settlekit-paid": CustomEvent<CheckoutFacts>;
  /** The payment failed, for example because too little arrived. Sent once. */
  "settlekit-failed": CustomEvent<CheckoutFacts>;
  /** The payment expired. Sent once; money that arrives later may still pay it. */
  "settlekit-expired": CustomEvent<CheckoutFacts>;
  /** Something went wrong, possibly in the configuration. */
  "settlekit-error": CustomEvent<CheckoutProblem>;
}

/** Dispatches the events of one payment: paid, failed and expired once each. */
export class EventDispatcher {
  readonly paymentId: string | null;
  readonly #target: EventTarget;
  readonly #told = new Set<string>();
  #status: string | undefined;

  constructor(target: EventTarget, paymentId: string | null) {
    this.#target = target;
    this.paymentId = paymentId;
  }

  change(known: Known): void {
    const { payment } = known;
    if (payment === undefined || payment.status === this.#status) return;
    const { status } = payment;
    this.#status = status;
    const facts = factsOf(payment, known);
    this.#tell("settlekit-change", facts);
    if (isPaid(status)) this.#tellOnce("settlekit-paid", facts);
    if (status === "failed") this.#tellOnce("settlekit-failed", facts);
    if (status === "expired") this.#tellOnce("settlekit-expired", facts);
  }

  error({ code, message }: SettlekitError): void {
    this.#tell("settlekit-error", { paymentId: this.paymentId ?? "", code, message });
  }

  #tellOnce(name: keyof CheckoutEventMap, facts: CheckoutFacts): void {
    if (this.#told.has(name)) return;
    this.#told.add(name);
    this.#tell(name, facts);
  }

  #tell(name: keyof CheckoutEventMap, detail: CheckoutFacts | CheckoutProblem): void {
    this.#target.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

function factsOf(payment: Payment, known: Known): CheckoutFacts {
  return {
    paymentId: payment.id,
    status: payment.status,
    orderId: payment.orderId ?? null,
    amountInCents: payment.amountInCents,
    amountDueCents: dueCents(known) ?? null,
    receivedUsd: payment.receipt?.settledAmountUsd ?? null,
    transactionHash: transactionOf(payment) ?? null,
  };
}
