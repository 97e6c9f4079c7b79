/**
 * The objects of the service as zod schemas, for checking what was stored or passed on. They are made with
 * your own copy of zod 4.
 *
 * @module settlekit/schemas
 */
import * as z from "zod";
import * as pagination from "./wire/pagination.ts";
import * as payment from "./wire/payment.ts";
import * as receipt from "./wire/payment-receipt.ts";
import * as quote from "./wire/quote.ts";
import * as token from "./wire/token.ts";
import * as webhook from "./wire/webhook-event.ts";
import * as withdrawal from "./wire/withdrawal.ts";

/** The zod schema of an interface, with a schema for each of its fields. Unknown fields are kept. */
export type SchemaOf<T> = z.ZodObject<
  {
    [Name in keyof T]-?: Record<never, never> extends Pick<T, Name>
      ? z.ZodExactOptional<z.ZodType<Exclude<T[Name], undefined>>>
      : z.ZodType<T[Name]>;
  },
  // Unknown fields are kept all the same. With $loose, the interface would not fit its own schema's type.
  z.core.$strip
>;

// The build makes the wire's schemas here with the same zod as this file's.
const schemaOf = <T>(schema: unknown) => schema as SchemaOf<T>;

/** A payment or a deposit (interface section 2.1). */
export const paymentSchema = /* @__PURE__ */ schemaOf<payment.Payment>(payment.paymentSchema);
/** The answer to a creation, with the payment secret (interface section 4.1). */
export const createdPaymentSchema = /* @__PURE__ */ schemaOf<payment.CreatedPayment>(
  payment.createdPaymentSchema,
);
/** The receipt of a payment. */
export const paymentReceiptSchema = /* @__PURE__ */ schemaOf<receipt.PaymentReceipt>(
  receipt.paymentReceiptSchema,
);
/** A payment's status alone (interface section 4.3). */
export const paymentStateSchema = /* @__PURE__ */ schemaOf<payment.PaymentState>(
  payment.paymentStateSchema,
);
/** The address that a customer pays to (interface section 2.2). */
export const depositAddressSchema = /* @__PURE__ */ schemaOf<quote.DepositAddress>(
  quote.depositAddressSchema,
);
/** An offer to settle a payment with one token on one chain (interface section 2.3). */
export const quoteSchema = /* @__PURE__ */ schemaOf<quote.Quote>(quote.quoteSchema);
/** An asset in which a payment can be settled (interface section 2.4). */
export const tokenSchema = /* @__PURE__ */ schemaOf<token.Token>(token.tokenSchema);
/** A network on which a token lives (interface section 2.4). */
export const tokenChainSchema = /* @__PURE__ */ schemaOf<token.TokenChain>(token.tokenChainSchema);
/** Crypto sent to a beneficiary (interface section 2.5). */
export const withdrawalSchema = /* @__PURE__ */ schemaOf<withdrawal.Withdrawal>(
  withdrawal.withdrawalSchema,
);
/** The receipt of a withdrawal (interface section 2.6). */
export const withdrawalReceiptSchema = /* @__PURE__ */ schemaOf<withdrawal.WithdrawalReceipt>(
  withdrawal.withdrawalReceiptSchema,
);
/** The withdrawals that the merchant can make (interface section 4.6). */
export const withdrawalConfigSchema = /* @__PURE__ */ schemaOf<withdrawal.WithdrawalConfig>(
  withdrawal.withdrawalConfigSchema,
);
/** Where a page stands in its list (interface section 2.7). */
export const paginationSchema = /* @__PURE__ */ schemaOf<pagination.Pagination>(
  pagination.paginationSchema,
);
/** The data of a payment event (interface section 6). */
export const paymentEventDataSchema = /* @__PURE__ */ schemaOf<webhook.PaymentEventData>(
  webhook.paymentEventDataSchema,
);
/** The data of a withdrawal event (interface section 6). */
export const withdrawalEventDataSchema = /* @__PURE__ */ schemaOf<webhook.WithdrawalEventData>(
  webhook.withdrawalEventDataSchema,
);

/** One of the events of interface section 6, with what it carries. */
export type WebhookEvent = {
  [Name in keyof webhook.WebhookEvents]: { event: Name; data: webhook.WebhookEvents[Name] };
}[keyof webhook.WebhookEvents];

/**
 * The body of a webhook in its documented form (interface section 6), told apart by `event`. Events of other
 * names do not fit. It proves nothing about the sender: verify the delivery first.
 */
export const webhookEventSchema: z.ZodType<WebhookEvent> = /* @__PURE__ */ z.discriminatedUnion(
  "event",
  [
    event("payment.created", paymentEventDataSchema),
    event("payment.updated", paymentEventDataSchema),
    event("withdrawal.created", withdrawalEventDataSchema),
    event("withdrawal.updated", withdrawalEventDataSchema),
  ],
);

// @__NO_SIDE_EFFECTS__
function event<Name extends keyof webhook.WebhookEvents>(
  name: Name,
  data: SchemaOf<webhook.WebhookEvents[Name]>,
) {
  return z.looseObject({ event: z.literal(name), data });
}
