import { type DepositAddress, depositAddressSchema } from "./deposit-address.ts";
import { optionalNumber, optionalText } from "./fields.ts";
import { type OpenEnum, openEnum } from "./open-enum.ts";
import { type PaymentReceipt, paymentReceiptSchema } from "./payment-receipt.ts";
import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import { type Quote, quoteSchema } from "./quote.ts";
import {
  listOf,
  nullable,
  number,
  type Output,
  openObject,
  optional,
  type Same,
  text,
} from "./schema.ts";

/** Of a fixed amount, or of whatever the customer sends (interface section 1). */
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

export const paymentSchema = openObject({
  id: text,
  merchantId: text,
  merchantShortName: text,
  type: openEnum("payment", "deposit"),
  amountInCents: number,
  currency: text,
  status: paymentStatusSchema,
  depositAddress: optional(nullable(depositAddressSchema)),
  quotes: listOf(quoteSchema),
  receipt: optional(nullable(paymentReceiptSchema)),
  orderId: optionalText,
  redirectUrl: optionalText,
  createdAt: text,
  merchantLogoUrl: optionalText,
  amountDueCents: optionalNumber,
  convenienceFeeCents: optionalNumber,
  merchantFeeCents: optionalNumber,
  swapFeeCents: optionalNumber,
  amountMerchantNetCents: optionalNumber,
});
true satisfies Same<Payment, Output<typeof paymentSchema>>;
