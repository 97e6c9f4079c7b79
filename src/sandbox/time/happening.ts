import type { DisorderKind } from "../webhooks/disorder.ts";

/** Something that the passing of time brought about. `at` is the sandbox's time, ISO 8601, UTC. */
export type Happening =
  | QuotesExpired
  | PaymentExpired
  | PaymentMoved
  | WithdrawalMoved
  | WebhookAttempted
  | IdempotencyEnded;

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

/** A scenario that plays on the clock took a step. */
export interface PaymentMoved {
  readonly at: string;
  readonly type: "payment.moved";
  readonly paymentId: string;
  readonly orderId: string;
  readonly status: string;
  /** How many blocks confirm the money; null where none arrived. */
  readonly confirmations: number | null;
}

/** A scenario that plays on the clock took a step. */
export interface WithdrawalMoved {
  readonly at: string;
  readonly type: "withdrawal.moved";
  readonly withdrawalId: string;
  readonly orderId: string | null;
  readonly status: string;
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
  /** What was made go wrong with it. */
  readonly disorder: DisorderKind | null;
}

/** An Idempotency-Key came 24 hours ago, and means nothing any more. */
export interface IdempotencyEnded {
  readonly at: string;
  readonly type: "idempotency.ended";
  readonly merchantId: string;
  /** The operation that it was used with, such as `payments.create`. */
  readonly operation: string;
  readonly key: string;
}
