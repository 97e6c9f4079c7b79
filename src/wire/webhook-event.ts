import * as z from "zod/mini";
import { openEnum } from "./open-enum.ts";
import type { PaymentType } from "./payment.ts";
import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import { openObject, type Same } from "./schema.ts";
import { type WithdrawalStatus, withdrawalStatusSchema } from "./withdrawal.ts";

/**
 * What a payment event says. Only `status` and `orderId` are documented (interface section 6); the
 * rest is a snapshot that may be missing. Fetch the payment before you act on an amount.
 */
export interface PaymentEventData {
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

/** What a withdrawal event says. Nothing of its shape is documented beyond `status`. */
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

/** The events of interface section 6 and what each carries. */
export interface WebhookEvents {
  "payment.created": PaymentEventData;
  "payment.updated": PaymentEventData;
  "withdrawal.created": WithdrawalEventData;
  "withdrawal.updated": WithdrawalEventData;
}

const text = z.exactOptional(z.string());
const cents = z.exactOptional(z.nullable(z.number()));

export const paymentEventDataSchema = openObject({
  status: paymentStatusSchema,
  orderId: z.nullable(z.string()),
  id: text,
  type: z.exactOptional(openEnum("payment", "deposit")),
  merchantId: text,
  amountInCents: cents,
  amountDueCents: cents,
  currency: text,
  createdAt: text,
});
true satisfies Same<PaymentEventData, z.output<typeof paymentEventDataSchema>>;

export const withdrawalEventDataSchema = openObject({
  status: withdrawalStatusSchema,
  orderId: z.exactOptional(z.nullable(z.string())),
  id: text,
  merchantId: text,
  amountInCents: cents,
  currency: text,
  createdAt: text,
});
true satisfies Same<WithdrawalEventData, z.output<typeof withdrawalEventDataSchema>>;
