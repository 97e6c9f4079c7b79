import * as z from "zod/mini";
import {
  openEnum,
  openObject,
  optional,
  optionalNumber,
  optionalText,
  type Same,
} from "./fields.ts";
import { type PaymentStatus, type PaymentType, paymentStatusSchema } from "./payment.ts";
import { type WithdrawalStatus, withdrawalStatusSchema } from "./withdrawal.ts";

/**
 * The data of a payment event. Only `status` and `orderId` are documented (interface section 6); the
 * rest is a snapshot that may be missing. Fetch the payment before you act on an amount.
 */
export interface PaymentEventData {
  /** The status at the time of the event, such as `completed`. */
  status: PaymentStatus;
  orderId: string | null;
  /** Payment id. */
  id?: string;
  type?: PaymentType;
  merchantId?: string;
  /** USD cents. */
  amountInCents?: number | null;
  /** USD cents. */
  amountDueCents?: number | null;
  currency?: string;
  /** ISO 8601, UTC. */
  createdAt?: string;
}

/** The data of a withdrawal event. The interface document shows none of its fields. */
export interface WithdrawalEventData {
  status: WithdrawalStatus;
  orderId?: string | null;
  /** Withdrawal id. */
  id?: string;
  merchantId?: string;
  /** USD cents. */
  amountInCents?: number | null;
  currency?: string;
  /** ISO 8601, UTC. */
  createdAt?: string;
}

/** The events of interface section 6 and the data of each. */
export interface WebhookEvents {
  "payment.created": PaymentEventData;
  "payment.updated": PaymentEventData;
  "withdrawal.created": WithdrawalEventData;
  "withdrawal.updated": WithdrawalEventData;
}

/** The type of `data` by event name. */
export interface KnownEvents extends WebhookEvents {
  /** Mentioned in the interface document, but not listed there. Handle it like `payment.updated`. */
  "payment.confirmed": PaymentEventData;
}

export const paymentEventDataSchema = openObject({
  status: paymentStatusSchema,
  orderId: z.nullable(z.string()),
  id: optional(z.string()),
  type: optional(openEnum("payment", "deposit")),
  merchantId: optional(z.string()),
  amountInCents: optionalNumber,
  amountDueCents: optionalNumber,
  currency: optional(z.string()),
  createdAt: optional(z.string()),
});
true satisfies Same<PaymentEventData, z.output<typeof paymentEventDataSchema>>;

export const withdrawalEventDataSchema = openObject({
  status: withdrawalStatusSchema,
  orderId: optionalText,
  id: optional(z.string()),
  merchantId: optional(z.string()),
  amountInCents: optionalNumber,
  currency: optional(z.string()),
  createdAt: optional(z.string()),
});
true satisfies Same<WithdrawalEventData, z.output<typeof withdrawalEventDataSchema>>;

/** The events of interface section 6. */
export const webhookEventNames: readonly (keyof WebhookEvents)[] = [
  "payment.created",
  "payment.updated",
  "withdrawal.created",
  "withdrawal.updated",
];
