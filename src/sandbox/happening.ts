/** Something that the passing of time brought about. `at` is the sandbox's time, ISO 8601, UTC. */
export type Happening = QuotesExpired | PaymentExpired | WebhookAttempted;

/** A payment's quotes ran out; the payment itself is still open. */
export interface QuotesExpired {
  readonly at: string;
  readonly type: "quotes.expired";
  readonly paymentId: string;
  readonly quoteIds: readonly string[];
}

/** Nobody paid in time. */
export interface PaymentExpired {
  readonly at: string;
  readonly type: "payment.expired";
  readonly paymentId: string;
  readonly orderId: string;
}

/** A webhook was sent, whatever came of it. */
export interface WebhookAttempted {
  readonly at: string;
  readonly type: "webhook.attempted";
  readonly deliveryId: string;
  /** Such as `payment.updated`. */
  readonly event: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Status of the receiver's answer; null when none came. */
  readonly status: number | null;
  /** Why no answer came; null when one did. */
  readonly error: string | null;
}
