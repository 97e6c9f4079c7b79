import { type OpenEnum, openEnum } from "./open-enum.ts";
import type { Output, Same } from "./schema.ts";

/** `completed` and `confirmed` both mean paid; the document does not reconcile the two names. */
export type PaymentStatus = OpenEnum<
  "pending" | "processing" | "completed" | "confirmed" | "failed" | "expired" | "cancelled"
>;

export const paymentStatusSchema = openEnum(
  "pending",
  "processing",
  "completed",
  "confirmed",
  "failed",
  "expired",
  "cancelled",
);
true satisfies Same<PaymentStatus, Output<typeof paymentStatusSchema>>;

/**
 * Whether a payment with this status is paid: `completed` or `confirmed`, which the interface
 * document does not reconcile (section 3.1). Unknown statuses are not.
 */
export function isPaid(status: string): boolean {
  return status === "completed" || status === "confirmed";
}

/**
 * Whether a status is expected to stay: paid, failed, expired or cancelled. Money may still arrive
 * after `expired`. Unknown statuses are not final.
 */
export function isFinal(status: string): boolean {
  return isPaid(status) || status === "failed" || status === "expired" || status === "cancelled";
}
