/**
 * The objects of the service as zod schemas, for checking what was stored or passed on. They are made with
 * your own copy of zod 4.
 *
 * @module settlekit/schemas
 */
import * as z from "zod";
import { type Pagination, paginationSchema as wirePagination } from "./wire/pagination.ts";
import {
  type CreatedPayment,
  type Payment,
  type PaymentState,
  createdPaymentSchema as wireCreatedPayment,
  paymentSchema as wirePayment,
  paymentStateSchema as wirePaymentState,
} from "./wire/payment.ts";
import {
  type PaymentReceipt,
  paymentReceiptSchema as wirePaymentReceipt,
} from "./wire/payment-receipt.ts";
import {
  type DepositAddress,
  type Quote,
  depositAddressSchema as wireDepositAddress,
  quoteSchema as wireQuote,
} from "./wire/quote.ts";
import {
  type Token,
  type TokenChain,
  tokenSchema as wireToken,
  tokenChainSchema as wireTokenChain,
} from "./wire/token.ts";
import {
  type PaymentEventData,
  type WebhookEvents,
  type WithdrawalEventData,
  paymentEventDataSchema as wirePaymentEventData,
  withdrawalEventDataSchema as wireWithdrawalEventData,
} from "./wire/webhook-event.ts";
import {
  type Withdrawal,
  type WithdrawalConfig,
  type WithdrawalReceipt,
  withdrawalSchema as wireWithdrawal,
  withdrawalConfigSchema as wireWithdrawalConfig,
  withdrawalReceiptSchema as wireWithdrawalReceipt,
} from "./wire/withdrawal.ts";

/** The zod schema of an interface, with a schema for each of its fields. Unknown fields are kept. */
export type SchemaOf<T> = z.ZodObject<
  {
    [Name in keyof T]-?: Record<never, never> extends Pick<T, Name>
      ? z.ZodExactOptional<z.ZodType<Exclude<T[Name], undefined>>>
      : z.ZodType<T[Name]>;
  },
  z.core.$loose
>;

// The build makes the wire's schemas here with the same zod as this file's.
const schemaOf = <T>(schema: unknown) => schema as SchemaOf<T>;

/** A payment or a deposit (interface section 2.1). */
export const paymentSchema = /* @__PURE__ */ schemaOf<Payment>(wirePayment);
/** The answer to a creation, with the payment secret (interface section 4.1). */
export const createdPaymentSchema = /* @__PURE__ */ schemaOf<CreatedPayment>(wireCreatedPayment);
/** The receipt of a payment. */
export const paymentReceiptSchema = /* @__PURE__ */ schemaOf<PaymentReceipt>(wirePaymentReceipt);
/** A payment's status alone (interface section 4.3). */
export const paymentStateSchema = /* @__PURE__ */ schemaOf<PaymentState>(wirePaymentState);
/** The address that a customer pays to (interface section 2.2). */
export const depositAddressSchema = /* @__PURE__ */ schemaOf<DepositAddress>(wireDepositAddress);
/** An offer to settle a payment with one token on one chain (interface section 2.3). */
export const quoteSchema = /* @__PURE__ */ schemaOf<Quote>(wireQuote);
/** An asset in which a payment can be settled (interface section 2.4). */
export const tokenSchema = /* @__PURE__ */ schemaOf<Token>(wireToken);
/** A network on which a token lives (interface section 2.4). */
export const tokenChainSchema = /* @__PURE__ */ schemaOf<TokenChain>(wireTokenChain);
/** Crypto sent to a beneficiary (interface section 2.5). */
export const withdrawalSchema = /* @__PURE__ */ schemaOf<Withdrawal>(wireWithdrawal);
/** The receipt of a withdrawal (interface section 2.6). */
export const withdrawalReceiptSchema =
  /* @__PURE__ */ schemaOf<WithdrawalReceipt>(wireWithdrawalReceipt);
/** The withdrawals that the merchant can make (interface section 4.6). */
export const withdrawalConfigSchema =
  /* @__PURE__ */ schemaOf<WithdrawalConfig>(wireWithdrawalConfig);
/** Where a page stands in its list (interface section 2.7). */
export const paginationSchema = /* @__PURE__ */ schemaOf<Pagination>(wirePagination);
/** The data of a payment event (interface section 6). */
export const paymentEventDataSchema =
  /* @__PURE__ */ schemaOf<PaymentEventData>(wirePaymentEventData);
/** The data of a withdrawal event (interface section 6). */
export const withdrawalEventDataSchema =
  /* @__PURE__ */ schemaOf<WithdrawalEventData>(wireWithdrawalEventData);

/** One of the events of interface section 6, with what it carries. */
export type WebhookEvent = {
  [Name in keyof WebhookEvents]: { event: Name; data: WebhookEvents[Name] };
}[keyof WebhookEvents];

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
function event<Name extends keyof WebhookEvents>(name: Name, data: SchemaOf<WebhookEvents[Name]>) {
  return z.looseObject({ event: z.literal(name), data });
}
