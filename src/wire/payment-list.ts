import * as z from "zod/mini";
import { type OpenEnum, openEnum } from "./open-enum.ts";
import type { PaymentType } from "./payment.ts";
import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import type { Same } from "./schema.ts";

/** What `payments.list` filters and sorts by (interface section 4.2). */
export interface PaymentListQuery {
  status?: PaymentStatus;
  type?: PaymentType;
  /**
   * Part of a payment id, deposit address, merchant short name, transaction hash or sender address.
   * Does not cover `orderId`.
   */
  search?: string;
  /** Default `createdAt`. */
  sortBy?: OpenEnum<"createdAt" | "amountInCents">;
  /** Default `DESC`. */
  sortOrder?: OpenEnum<"ASC" | "DESC">;
  /** Items a page, 1 to 1000; default 100. */
  limit?: number;
  /** Items to skip; default 0. */
  offset?: number;
}

export const paymentListQuerySchema = z.object({
  status: z.exactOptional(paymentStatusSchema),
  type: z.exactOptional(openEnum("payment", "deposit")),
  search: z.exactOptional(z.string()),
  sortBy: z.exactOptional(openEnum("createdAt", "amountInCents")),
  sortOrder: z.exactOptional(openEnum("ASC", "DESC")),
  limit: z.exactOptional(z.int().check(z.gte(1), z.lte(1000))),
  offset: z.exactOptional(z.int().check(z.gte(0))),
});
true satisfies Same<PaymentListQuery, z.output<typeof paymentListQuerySchema>>;
