import { type Payment, paymentSchema } from "./payment.ts";
import {
  closedObject,
  number,
  type Output,
  oneOf,
  openObject,
  optional,
  type Same,
  text,
  textOfLength,
} from "./schema.ts";

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

export const createPaymentBodySchema = closedObject({
  type: optional(oneOf("payment", "deposit")),
  amount: optional(number),
  currency: oneOf("USD"),
  orderId: textOfLength(1, 255),
  redirectUrl: optional(textOfLength(0, 2048)),
  customMetadata: optional(textOfLength(0, 2048)),
  customerRefId: optional(textOfLength(0, 255)),
});
true satisfies Same<CreatePaymentBody, Output<typeof createPaymentBodySchema>>;

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
  paymentUrl: text,
  paymentId: text,
  secret: text,
});
true satisfies Same<CreatedPayment, Output<typeof createdPaymentSchema>>;
