import { type OpenEnum, openEnum } from "./open-enum.ts";
import type { PaymentType } from "./payment.ts";
import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import { type Output, queryOf, type Same, text, wholeNumber } from "./schema.ts";

/** What `payments.list` filters and sorts by (interface section 4.2). */
export interface PaymentListQuery {
  status?: PaymentStatus | undefined;
  type?: PaymentType | undefined;
  /**
   * Part of a payment id, deposit address, merchant short name, transaction hash or sender address.
   * Does not cover `orderId`.
   */
  search?: string | undefined;
  /** Default `createdAt`. */
  sortBy?: OpenEnum<"createdAt" | "amountInCents"> | undefined;
  /** Default `DESC`. */
  sortOrder?: OpenEnum<"ASC" | "DESC"> | undefined;
  /** Items a page, 1 to 1000; default 100. */
  limit?: number | undefined;
  /** Items to skip; default 0. */
  offset?: number | undefined;
}

export const paymentListQuerySchema = queryOf({
  status: paymentStatusSchema,
  type: openEnum("payment", "deposit"),
  search: text,
  sortBy: openEnum("createdAt", "amountInCents"),
  sortOrder: openEnum("ASC", "DESC"),
  limit: wholeNumber(1, 1000),
  offset: wholeNumber(0),
});
true satisfies Same<PaymentListQuery, Output<typeof paymentListQuerySchema>>;
