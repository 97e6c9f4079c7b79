import * as z from "zod/mini";
import { type DepositAddress, depositAddressSchema } from "./deposit-address.ts";
import { type OpenEnum, openEnum } from "./open-enum.ts";
import { type PaymentReceipt, paymentReceiptSchema } from "./payment-receipt.ts";
import { type Quote, quoteSchema } from "./quote.ts";
import { openObject, type Same } from "./schema.ts";

/** `completed` and `confirmed` both mean paid; the document does not reconcile the two names. */
export type PaymentStatus = OpenEnum<
  "pending" | "processing" | "completed" | "confirmed" | "failed" | "expired" | "cancelled"
>;

export type PaymentType = OpenEnum<"payment" | "deposit">;

/** A payment or a deposit (interface section 2.1). */
export interface Payment {
  id: string;
  merchantId: string;
  /** Display name of the merchant. */
  merchantShortName: string;
  type: PaymentType;
  /** USD cents. */
  amountInCents: number;
  /** `USD`. */
  currency: string;
  status: PaymentStatus;
  /** Missing or null where each quote carries its own. */
  depositAddress?: DepositAddress | null;
  quotes: Quote[];
  /** Null until money was received. */
  receipt?: PaymentReceipt | null;
  /** The merchant's own reference, as given at creation. */
  orderId?: string | null;
  redirectUrl?: string | null;
  /** ISO 8601, UTC. */
  createdAt: string;
  merchantLogoUrl?: string | null;
  /** USD cents. */
  amountDueCents?: number | null;
  /** USD cents. */
  convenienceFeeCents?: number | null;
  /** USD cents. */
  merchantFeeCents?: number | null;
  /** USD cents. */
  swapFeeCents?: number | null;
  /** USD cents. */
  amountMerchantNetCents?: number | null;
}

const text = z.exactOptional(z.nullable(z.string()));
const cents = z.exactOptional(z.nullable(z.number()));

export const paymentSchema = openObject({
  id: z.string(),
  merchantId: z.string(),
  merchantShortName: z.string(),
  type: openEnum("payment", "deposit"),
  amountInCents: z.number(),
  currency: z.string(),
  status: openEnum(
    "pending",
    "processing",
    "completed",
    "confirmed",
    "failed",
    "expired",
    "cancelled",
  ),
  depositAddress: z.exactOptional(z.nullable(depositAddressSchema)),
  quotes: z.array(quoteSchema),
  receipt: z.exactOptional(z.nullable(paymentReceiptSchema)),
  orderId: text,
  redirectUrl: text,
  createdAt: z.string(),
  merchantLogoUrl: text,
  amountDueCents: cents,
  convenienceFeeCents: cents,
  merchantFeeCents: cents,
  swapFeeCents: cents,
  amountMerchantNetCents: cents,
});
true satisfies Same<Payment, z.output<typeof paymentSchema>>;
