import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import { type Output, openObject, type Same, text } from "./schema.ts";

/** A payment's status alone (interface section 4.3). */
export interface PaymentState {
  /** Payment id. */
  id: string;
  status: PaymentStatus;
}

export const paymentStateSchema = openObject({
  id: text,
  status: paymentStatusSchema,
});
true satisfies Same<PaymentState, Output<typeof paymentStateSchema>>;
