import * as z from "zod/mini";
import { type Payment, paymentSchema } from "./payment.ts";
import { openObject, type Same } from "./schema.ts";

/** Over this, no payment or withdrawal is accepted, in USD cents (interface section 8). */
export const maxAmountInCents = 100_000_000;

/** The body of a creation request on the wire (interface section 4.1). */
export interface CreatePaymentBody {
  type?: "payment" | "deposit";
  /** USD cents; due for a payment, ignored for a deposit. */
  amount?: number;
  currency: "USD";
  orderId: string;
  redirectUrl?: string;
  /** A JSON document encoded as a string. */
  customMetadata?: string;
  /** Deposits only; from newer descriptions. */
  customerRefId?: string;
}

export const createPaymentBodySchema = z.object({
  type: z.exactOptional(z.enum(["payment", "deposit"])),
  amount: z.exactOptional(z.number()),
  currency: z.literal("USD"),
  orderId: z.string().check(z.minLength(1), z.maxLength(255)),
  redirectUrl: z.exactOptional(z.string().check(z.maxLength(2048))),
  customMetadata: z.exactOptional(z.string().check(z.maxLength(2048))),
  customerRefId: z.exactOptional(z.string().check(z.maxLength(255))),
});
true satisfies Same<CreatePaymentBody, z.output<typeof createPaymentBodySchema>>;

/** The answer to a creation (interface section 4.1). */
export interface CreatedPayment {
  payment: Payment;
  /** The hosted payment page: send the customer here. */
  paymentUrl: string;
  /** Equals `payment.id`. */
  paymentId: string;
  /**
   * The payment secret for customer-scoped routes. Whoever holds it can read this payment and
   * request quotes for it; keep it out of logs. It is not your merchant secret key.
   */
  secret: string;
}

export const createdPaymentSchema = openObject({
  payment: paymentSchema,
  paymentUrl: z.string(),
  paymentId: z.string(),
  secret: z.string(),
});
true satisfies Same<CreatedPayment, z.output<typeof createdPaymentSchema>>;
