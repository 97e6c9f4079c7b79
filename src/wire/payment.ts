import * as z from "zod/mini";
import {
  type ChainId,
  chainIdSchema,
  identifier,
  nullish,
  type OpenEnum,
  openEnum,
  openObject,
  optional,
  optionalNumber,
  optionalText,
  type Same,
  textOfLength,
  timestamp,
} from "./fields.ts";
import { type PageQuery, pageQuery } from "./pagination.ts";
import { type DepositAddress, depositAddressSchema, type Quote, quoteSchema } from "./quote.ts";
import { type PaymentReceipt, paymentReceiptSchema } from "./receipt.ts";

/** `payment`: a fixed amount. `deposit`: whatever amount the customer sends (interface section 1). */
export type PaymentType = OpenEnum<"payment" | "deposit">;

/** `completed` and `confirmed` both mean paid; the document does not reconcile the two names. */
export type PaymentStatus = OpenEnum<
  | "pending"
  | "processing"
  | "completed"
  | "confirmed"
  | "failed"
  | "expired"
  | "cancelled"
  | "refunded"
  | "partially_refunded"
>;

export const paymentStatusSchema = /* @__PURE__ */ openEnum(
  "pending",
  "processing",
  "completed",
  "confirmed",
  "failed",
  "expired",
  "cancelled",
  "refunded",
  "partially_refunded",
);
true satisfies Same<PaymentStatus, z.output<typeof paymentStatusSchema>>;

/** A payment or a deposit (interface section 2.1). */
export interface Payment {
  id: string;
  /** The merchant that it belongs to. */
  merchantId: string;
  /** Display name of the merchant. */
  merchantShortName: string;
  /** `payment`: a fixed amount. `deposit`: whatever amount the customer sends. */
  type: PaymentType;
  /** USD cents. */
  amountInCents: number;
  /** `USD`. */
  currency: string;
  /** Such as `pending` or `completed`: test it with `isPaid` and `isFinal`. */
  status: PaymentStatus;
  /** Missing or null if each quote carries its own. */
  depositAddress?: DepositAddress | null;
  /** The ways to settle the payment, token by token. */
  quotes: Quote[];
  /** Null until money is received. */
  receipt?: PaymentReceipt | null;
  /** The merchant's own reference. */
  orderId?: string | null;
  /** URL to send the customer to after the payment. */
  redirectUrl?: string | null;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** URL of the merchant's logo. */
  merchantLogoUrl?: string | null;
  /** The customer's total in USD cents, fees included. */
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
  id: identifier,
  merchantId: identifier,
  merchantShortName: z.string(),
  type: openEnum("payment", "deposit"),
  amountInCents: z.number(),
  currency: z.string(),
  status: paymentStatusSchema,
  depositAddress: nullish(depositAddressSchema),
  quotes: z.array(quoteSchema),
  receipt: nullish(paymentReceiptSchema),
  orderId: optionalText,
  redirectUrl: optionalText,
  createdAt: timestamp,
  merchantLogoUrl: optionalText,
  amountDueCents: optionalNumber,
  convenienceFeeCents: optionalNumber,
  merchantFeeCents: optionalNumber,
  swapFeeCents: optionalNumber,
  amountMerchantNetCents: optionalNumber,
});
true satisfies Same<Payment, z.output<typeof paymentSchema>>;

/** The largest payment or withdrawal that is accepted, in USD cents (interface section 8). */
export const maxAmountInCents = 100_000_000;

/** The body of a creation request on the wire (interface section 4.1). */
export interface CreatePaymentBody {
  /** `payment` or `deposit`. Default `payment`. */
  type?: "payment" | "deposit";
  /** USD cents. Required for a payment; a deposit has none. */
  amount?: number;
  currency: "USD";
  orderId: string;
  redirectUrl?: string;
  /** For the redirect: JSON as a string, or, according to one published description, any text. */
  customMetadata?: string;
  /** Your own reference for the customer (published). Deposits only. */
  customerRefId?: string;
}

export const createPaymentBodySchema = z.object({
  type: optional(z.enum(["payment", "deposit"])),
  amount: optional(z.number()),
  currency: z.literal("USD"),
  orderId: textOfLength(1, 255),
  redirectUrl: optional(textOfLength(0, 2048)),
  customMetadata: optional(textOfLength(0, 2048)),
  customerRefId: optional(textOfLength(0, 255)),
});
true satisfies Same<CreatePaymentBody, z.output<typeof createPaymentBodySchema>>;

/** Schemes that would run code or open something on the customer's device. */
const forbiddenSchemes = ["javascript:", "data:", "file:", "blob:", "vbscript:"];

export const redirectUrlRule =
  "must be a string with a complete URL such as https://shop.example/paid or myapp://paid, of any scheme except " +
  forbiddenSchemes.join(", ");

/** Whether a value is a URL that a customer may be sent to: complete, and opening a page or an app. */
export function isRedirectUrl(value: unknown): value is string {
  // "localhost:3000/paid" is a valid URL with the scheme "localhost:".
  if (typeof value !== "string" || !/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return false;
  return URL.canParse(value) && !forbiddenSchemes.includes(new URL(value).protocol);
}

/** A payment in the response to its creation: one published description omits its type. */
export interface NewPayment extends Omit<Payment, "type"> {
  type?: PaymentType;
}

export const newPaymentSchema = openObject({
  ...paymentSchema.shape,
  type: optional(openEnum("payment", "deposit")),
});
true satisfies Same<NewPayment, z.output<typeof newPaymentSchema>>;

/** The response to a creation (interface section 4.1). */
export interface CreatedPayment {
  /** The payment that was created. */
  payment: NewPayment;
  /**
   * The hosted payment page: send the customer here. Its query may contain the payment secret, so keep the whole URL
   * out of logs.
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
  paymentId: identifier,
  secret: z.string(),
});
true satisfies Same<CreatedPayment, z.output<typeof createdPaymentSchema>>;

/** The filters and the order of `payments.list` (interface section 4.2). */
export interface PaymentListQuery extends PageQuery {
  status?: PaymentStatus | undefined;
  type?: PaymentType | undefined;
  /**
   * Part of a payment id, deposit address, merchant short name, transaction hash or sender address.
   * Does not cover `orderId`.
   */
  search?: string | undefined;
  /** `createdAt` or `amountInCents`. Default `createdAt`. */
  sortBy?: OpenEnum<"createdAt" | "amountInCents"> | undefined;
  /** `ASC` or `DESC`. Default `DESC`. */
  sortOrder?: OpenEnum<"ASC" | "DESC"> | undefined;
}

export const paymentListQuerySchema = pageQuery({
  status: z.optional(paymentStatusSchema),
  type: z.optional(openEnum("payment", "deposit")),
  search: z.optional(z.string()),
  sortBy: z.optional(openEnum("createdAt", "amountInCents")),
  sortOrder: z.optional(openEnum("ASC", "DESC")),
});
true satisfies Same<PaymentListQuery, z.output<typeof paymentListQuerySchema>>;

/** A payment's status alone (interface section 4.3). */
export interface PaymentState {
  /** Payment id. */
  id: string;
  status: PaymentStatus;
}

export const paymentStateSchema = openObject({
  id: identifier,
  status: paymentStatusSchema,
});
true satisfies Same<PaymentState, z.output<typeof paymentStateSchema>>;

/** A transaction for the service to look for (interface section 4.3). */
export interface RefreshStatusInput {
  /** The customer's transaction, if known. */
  transactionHash?: string | undefined;
  /** Such as 8453, or CAIP-2 text for a non-EVM chain. */
  chainId?: ChainId | undefined;
  /** The contract of the token that was sent. */
  tokenContractAddress?: string | undefined;
}

export const refreshStatusInputSchema = z.object({
  transactionHash: z.optional(z.string()),
  chainId: z.optional(chainIdSchema),
  tokenContractAddress: z.optional(z.string()),
});
true satisfies Same<RefreshStatusInput, z.output<typeof refreshStatusInputSchema>>;
