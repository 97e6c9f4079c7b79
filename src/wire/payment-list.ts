import * as z from "zod/mini";
import { type OpenEnum, openEnum } from "./open-enum.ts";
import type { PaymentType } from "./payment.ts";
import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import type { Same } from "./schema.ts";

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

export const paymentListQuerySchema = z.object({
  status: z.optional(paymentStatusSchema),
  type: z.optional(openEnum("payment", "deposit")),
  search: z.optional(z.string()),
  sortBy: z.optional(openEnum("createdAt", "amountInCents")),
  sortOrder: z.optional(openEnum("ASC", "DESC")),
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  offset: z.optional(z.int().check(z.gte(0))),
});
true satisfies Same<PaymentListQuery, z.output<typeof paymentListQuerySchema>>;
