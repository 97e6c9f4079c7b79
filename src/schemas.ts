/**
 * zod schemas of the service's objects, to validate data that was stored or passed on. They use your own copy of
 * zod 4.
 *
 * @module settlekit/schemas
 */
import * as z from "zod";
import * as pagination from "./wire/pagination.ts";
import * as payment from "./wire/payment.ts";
import * as quote from "./wire/quote.ts";
import * as receipt from "./wire/receipt.ts";
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
  // Unknown fields are still kept. With $loose, the interface would not match its own schema's type.
  z.core.$strip
>;

// The build gives the wire's schemas here the same zod as this file: the user's.

/** A payment or a deposit (interface section 2.1). */
export const paymentSchema = payment.paymentSchema as unknown as SchemaOf<payment.Payment>;
/** The response to a creation, with the payment secret (interface section 4.1). */
export const createdPaymentSchema =
  payment.createdPaymentSchema as unknown as SchemaOf<payment.CreatedPayment>;
/** The receipt of a payment. */
export const paymentReceiptSchema =
  receipt.paymentReceiptSchema as unknown as SchemaOf<receipt.PaymentReceipt>;
/** A payment's status alone (interface section 4.3). */
export const paymentStateSchema =
  payment.paymentStateSchema as unknown as SchemaOf<payment.PaymentState>;
/** The address that a customer pays to (interface section 2.2). */
export const depositAddressSchema =
  quote.depositAddressSchema as unknown as SchemaOf<quote.DepositAddress>;
/** An offer to settle a payment with one token on one chain (interface section 2.3). */
export const quoteSchema = quote.quoteSchema as unknown as SchemaOf<quote.Quote>;
/** An asset in which a payment can be settled (interface section 2.4). */
export const tokenSchema = token.tokenSchema as unknown as SchemaOf<token.Token>;
/** A network on which a token lives (interface section 2.4). */
export const tokenChainSchema = token.tokenChainSchema as unknown as SchemaOf<token.TokenChain>;
/** The merchant's balance of one token (published). */
export const tokenBalanceSchema =
  token.tokenBalanceSchema as unknown as SchemaOf<token.TokenBalance>;
/** The merchant's balances (published). */
export const walletBalancesSchema =
  token.walletBalancesSchema as unknown as SchemaOf<token.WalletBalances>;
/** Crypto sent to a recipient (interface section 2.5). */
export const withdrawalSchema =
  withdrawal.withdrawalSchema as unknown as SchemaOf<withdrawal.Withdrawal>;
/** The receipt of a withdrawal (interface section 2.6). */
export const withdrawalReceiptSchema =
  receipt.withdrawalReceiptSchema as unknown as SchemaOf<receipt.WithdrawalReceipt>;
/** The withdrawals that the merchant can make (interface section 4.6). */
export const withdrawalConfigSchema =
  withdrawal.withdrawalConfigSchema as unknown as SchemaOf<withdrawal.WithdrawalConfig>;
/** A page's position in its list (interface section 2.7). */
export const paginationSchema =
  pagination.paginationSchema as unknown as SchemaOf<pagination.Pagination>;
/** The data of a payment event (interface section 6). */
export const paymentEventDataSchema =
  webhook.paymentEventDataSchema as unknown as SchemaOf<webhook.PaymentEventData>;
/** The data of a withdrawal event (interface section 6). */
export const withdrawalEventDataSchema =
  webhook.withdrawalEventDataSchema as unknown as SchemaOf<webhook.WithdrawalEventData>;

/** One of the events of interface section 6, with its data. */
export type WebhookEvent = {
  [Name in keyof webhook.KnownEvents]: { event: Name; data: webhook.KnownEvents[Name] };
}[keyof webhook.KnownEvents];

/**
 * The body of a webhook in its documented form (interface section 6), discriminated by `event`. Other event names are
 * rejected. It proves nothing about the sender: verify the delivery first.
 */
export const webhookEventSchema: z.ZodType<WebhookEvent> = /* @__PURE__ */ z.discriminatedUnion(
  "event",
  [
    event("payment.created", paymentEventDataSchema),
    event("payment.updated", paymentEventDataSchema),
    event("payment.confirmed", paymentEventDataSchema),
    event("withdrawal.created", withdrawalEventDataSchema),
    event("withdrawal.updated", withdrawalEventDataSchema),
  ],
);

// @__NO_SIDE_EFFECTS__
function event<Name extends keyof webhook.KnownEvents>(
  name: Name,
  data: SchemaOf<webhook.KnownEvents[Name]>,
) {
  return z.looseObject({ event: z.literal(name), data });
}
