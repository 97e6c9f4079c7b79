import * as z from "zod/mini";
import {
  bodyObject,
  type ChainId,
  chainIdSchema,
  type OpenEnum,
  openEnum,
  openObject,
  optionalBoolean,
  optionalDecimalText,
  optionalNumber,
  optionalText,
  type Same,
  strictObject,
  textOfLength,
  wholeNumber,
} from "./fields.ts";
import { type PaymentStatus, paymentStatusSchema } from "./payment-status.ts";
import { type DepositAddress, depositAddressSchema, type Quote, quoteSchema } from "./quote.ts";
import {
  type SettledChain,
  type SettledToken,
  settledChainSchema,
  settledTokenSchema,
} from "./token.ts";

/**
 * What was received for a payment. The interface document does not show its fields; two published
 * shapes exist, so every field may be missing or null.
 */
export interface PaymentReceipt {
  paymentId?: string | null;
  selectedQuote?: Quote | null;
  settledToken?: SettledToken | null;
  settledChain?: SettledChain | null;
  /** Received amount in the token's smallest unit, as a decimal string. */
  settledAmountAsset?: string | null;
  /** Decimal USD value. */
  settledAmountUsd?: string | null;
  txHash?: string | null;
  txBlockNumber?: number | null;
  /** ISO 8601, UTC. */
  txTimestamp?: string | null;
  txSenderAddress?: string | null;
  txGasUsed?: number | null;
  txTotalCost?: string | null;
  txTotalCostUsdFractions?: number | null;
  /** Whether the service paid for the gas. */
  txIsSponsored?: boolean | null;
  processedBy?: OpenEnum<"webhook" | "frontend" | "cron" | "manual" | "shout_webhook"> | null;
  txRiskScore?: number | string | null;
  txRiskSeverity?: OpenEnum<
    "CRITICAL_RISK" | "HIGH_RISK" | "MEDIUM_RISK" | "LOW_RISK" | "NO_RISK"
  > | null;
  txRiskProvider?: string | null;
  /** ISO 8601, UTC. */
  createdAt?: string | null;
  transactionHash?: string | null;
  blockNumber?: number | null;
  confirmations?: number | null;
  requiredConfirmations?: number | null;
  /** ISO 8601, UTC. */
  completedAt?: string | null;
}

export const paymentReceiptSchema = openObject({
  paymentId: optionalText,
  selectedQuote: z.exactOptional(z.nullable(quoteSchema)),
  settledToken: z.exactOptional(z.nullable(settledTokenSchema)),
  settledChain: z.exactOptional(z.nullable(settledChainSchema)),
  settledAmountAsset: optionalText,
  settledAmountUsd: optionalDecimalText,
  txHash: optionalText,
  txBlockNumber: optionalNumber,
  txTimestamp: optionalText,
  txSenderAddress: optionalText,
  txGasUsed: optionalNumber,
  txTotalCost: optionalText,
  txTotalCostUsdFractions: optionalNumber,
  txIsSponsored: optionalBoolean,
  processedBy: z.exactOptional(
    z.nullable(openEnum("webhook", "frontend", "cron", "manual", "shout_webhook")),
  ),
  txRiskScore: z.exactOptional(z.nullable(z.union([z.number(), z.string()]))),
  txRiskSeverity: z.exactOptional(
    z.nullable(openEnum("CRITICAL_RISK", "HIGH_RISK", "MEDIUM_RISK", "LOW_RISK", "NO_RISK")),
  ),
  txRiskProvider: optionalText,
  createdAt: optionalText,
  transactionHash: optionalText,
  blockNumber: optionalNumber,
  confirmations: optionalNumber,
  requiredConfirmations: optionalNumber,
  completedAt: optionalText,
});
true satisfies Same<PaymentReceipt, z.output<typeof paymentReceiptSchema>>;

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
  id: z.string(),
  merchantId: z.string(),
  merchantShortName: z.string(),
  type: openEnum("payment", "deposit"),
  amountInCents: z.number(),
  currency: z.string(),
  status: paymentStatusSchema,
  depositAddress: z.exactOptional(z.nullable(depositAddressSchema)),
  quotes: z.array(quoteSchema),
  receipt: z.exactOptional(z.nullable(paymentReceiptSchema)),
  orderId: optionalText,
  redirectUrl: optionalText,
  createdAt: z.string(),
  merchantLogoUrl: optionalText,
  amountDueCents: optionalNumber,
  convenienceFeeCents: optionalNumber,
  merchantFeeCents: optionalNumber,
  swapFeeCents: optionalNumber,
  amountMerchantNetCents: optionalNumber,
});
true satisfies Same<Payment, z.output<typeof paymentSchema>>;

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
  /** A JSON document encoded as a string; one published description takes any text. */
  customMetadata?: string;
  /** Deposits only; from newer descriptions. */
  customerRefId?: string;
}

export const createPaymentBodySchema = bodyObject({
  type: z.exactOptional(z.enum(["payment", "deposit"])),
  amount: z.exactOptional(z.number()),
  currency: z.literal("USD"),
  orderId: textOfLength(1, 255),
  redirectUrl: z.exactOptional(textOfLength(0, 2048)),
  customMetadata: z.exactOptional(textOfLength(0, 2048)),
  customerRefId: z.exactOptional(textOfLength(0, 255)),
});
true satisfies Same<CreatePaymentBody, z.output<typeof createPaymentBodySchema>>;

/** A payment as the answer to its creation has it: one published description leaves out its type. */
export interface NewPayment extends Omit<Payment, "type"> {
  type?: PaymentType;
}

const newPaymentSchema = openObject({
  ...paymentSchema.shape,
  type: z.exactOptional(openEnum("payment", "deposit")),
});
true satisfies Same<NewPayment, z.output<typeof newPaymentSchema>>;

/** The answer to a creation (interface section 4.1). */
export interface CreatedPayment {
  payment: NewPayment;
  /**
   * The hosted payment page: send the customer here. Its query may carry the payment secret, so keep the
   * whole URL out of logs, too.
   */
  paymentUrl: string;
  /** Equals `payment.id`. */
  paymentId: string;
  /**
   * The payment secret for customer-scoped routes. It gives access to this one payment: reading it and
   * requesting quotes. Keep it out of logs. It is not your merchant secret key.
   */
  secret: string;
}

export const createdPaymentSchema = openObject({
  payment: newPaymentSchema,
  paymentUrl: z.string(),
  paymentId: z.string(),
  secret: z.string(),
});
true satisfies Same<CreatedPayment, z.output<typeof createdPaymentSchema>>;

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

export const paymentListQuerySchema = strictObject({
  status: z.optional(paymentStatusSchema),
  type: z.optional(openEnum("payment", "deposit")),
  search: z.optional(z.string()),
  sortBy: z.optional(openEnum("createdAt", "amountInCents")),
  sortOrder: z.optional(openEnum("ASC", "DESC")),
  limit: z.optional(wholeNumber(1, 1000)),
  offset: z.optional(wholeNumber(0)),
});
true satisfies Same<PaymentListQuery, z.output<typeof paymentListQuerySchema>>;

/** A payment's status alone (interface section 4.3). */
export interface PaymentState {
  /** Payment id. */
  id: string;
  status: PaymentStatus;
}

export const paymentStateSchema = openObject({
  id: z.string(),
  status: paymentStatusSchema,
});
true satisfies Same<PaymentState, z.output<typeof paymentStateSchema>>;

/** A transaction to look for (interface section 4.3). */
interface RefreshStatusBody {
  transactionHash?: string;
  chainId?: ChainId;
  tokenContractAddress?: string;
}

export const refreshStatusBodySchema = bodyObject({
  transactionHash: z.exactOptional(z.string()),
  chainId: z.exactOptional(chainIdSchema),
  tokenContractAddress: z.exactOptional(z.string()),
});
true satisfies Same<RefreshStatusBody, z.output<typeof refreshStatusBodySchema>>;
