import { chainIdSchema, decimalText, type OpenEnum, openEnum, optionalText } from "./fields.ts";
import {
  boolean,
  closedObject,
  listOf,
  nullable,
  number,
  type Output,
  oneOf,
  openObject,
  optional,
  queryOf,
  type Same,
  text,
  textOfLength,
  wholeNumber,
} from "./schema.ts";
import {
  type SettledChain,
  type SettledToken,
  settledChainSchema,
  settledTokenSchema,
  type Token,
  tokenSchema,
} from "./token.ts";

/** Where a withdrawal stands (interface section 3.2). */
export type WithdrawalStatus = OpenEnum<
  "pending" | "processing" | "completed" | "failed" | "cancelled"
>;

export const withdrawalStatusSchema = openEnum(
  "pending",
  "processing",
  "completed",
  "failed",
  "cancelled",
);
true satisfies Same<WithdrawalStatus, Output<typeof withdrawalStatusSchema>>;

/** What was sent for a withdrawal (interface section 2.6). */
export interface WithdrawalReceipt {
  withdrawalId: string;
  settledToken: SettledToken | null;
  settledChain: SettledChain | null;
  /** Sent amount in the token's smallest unit, as a decimal string. */
  settledAmountAsset: string;
  /** Decimal USD value. */
  settledAmountUsd: string;
  txHash: string | null;
  txBlockNumber: number;
  /** ISO 8601, UTC. */
  txTimestamp: string;
  txSenderAddress: string;
  txGasUsed: number;
  txTotalCost: string;
  txTotalCostUsdFractions: number;
  /** Whether the service paid for the gas. */
  txIsSponsored: boolean;
  processedBy: OpenEnum<"webhook" | "frontend" | "cron" | "manual">;
  /** ISO 8601, UTC. */
  createdAt: string;
}

export const withdrawalReceiptSchema = openObject({
  withdrawalId: text,
  settledToken: nullable(settledTokenSchema),
  settledChain: nullable(settledChainSchema),
  settledAmountAsset: text,
  settledAmountUsd: decimalText,
  txHash: nullable(text),
  txBlockNumber: number,
  txTimestamp: text,
  txSenderAddress: text,
  txGasUsed: number,
  txTotalCost: text,
  txTotalCostUsdFractions: number,
  txIsSponsored: boolean,
  processedBy: openEnum("webhook", "frontend", "cron", "manual"),
  createdAt: text,
});
true satisfies Same<WithdrawalReceipt, Output<typeof withdrawalReceiptSchema>>;

/** Crypto sent to a beneficiary (interface section 2.5). */
export interface Withdrawal {
  id: string;
  merchantId: string;
  /** USD cents. */
  amountInCents: number;
  /** EVM chain id used for settlement. */
  chainId: number;
  /** The beneficiary's wallet address. */
  recipientAddress: string;
  status: WithdrawalStatus;
  /** `USD`. */
  currency: string;
  /** The merchant's own reference, if one was given. */
  orderId?: string | null;
  /** JSON as a string, if some was given. */
  customMetadata?: string | null;
  /** Why it failed. In lists only present when it did. */
  errorMessage?: string | null;
  /** Null until it is completed. In lists only present when it is. */
  receipt?: WithdrawalReceipt | null;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** When it changed last: ISO 8601, UTC. */
  updatedAt: string;
}

export const withdrawalSchema = openObject({
  id: text,
  merchantId: text,
  amountInCents: number,
  chainId: chainIdSchema,
  recipientAddress: text,
  status: withdrawalStatusSchema,
  currency: text,
  orderId: optionalText,
  customMetadata: optionalText,
  errorMessage: optionalText,
  receipt: optional(nullable(withdrawalReceiptSchema)),
  createdAt: text,
  updatedAt: text,
});
true satisfies Same<Withdrawal, Output<typeof withdrawalSchema>>;

/** The longest `orderId` of a withdrawal, in characters (interface section 8). */
export const maxOrderIdLength = 255;

/** The longest `customMetadata` of a withdrawal, in characters (interface section 8). */
export const maxMetadataLength = 2048;

/** The body of a withdrawal request on the wire (interface section 4.4). */
export interface CreateWithdrawalBody {
  /** USD cents. */
  amountInCents: number;
  /** A number, or CAIP-2 text where the client is configured so. */
  chainId: number;
  recipientAddress: string;
  orderId?: string;
  currency?: "USD";
  /** A JSON document encoded as a string. */
  customMetadata?: string;
}

export const createWithdrawalBodySchema = closedObject({
  amountInCents: number,
  chainId: chainIdSchema,
  recipientAddress: text,
  orderId: optional(textOfLength(0, maxOrderIdLength)),
  currency: optional(oneOf("USD")),
  customMetadata: optional(textOfLength(0, maxMetadataLength)),
});
true satisfies Same<CreateWithdrawalBody, Output<typeof createWithdrawalBodySchema>>;

/** What `withdrawals.list` filters by (interface section 4.5). */
export interface WithdrawalListQuery {
  status?: WithdrawalStatus | undefined;
  /** Items a page, 1 to 1000; default 100. */
  limit?: number | undefined;
  /** Items to skip; default 0. */
  offset?: number | undefined;
}

export const withdrawalListQuerySchema = queryOf({
  status: withdrawalStatusSchema,
  limit: wholeNumber(1, 1000),
  offset: wholeNumber(0),
});
true satisfies Same<WithdrawalListQuery, Output<typeof withdrawalListQuerySchema>>;

/** What withdrawals the merchant can make (interface section 4.6). */
export interface WithdrawalConfig {
  /** The address that the service sends from. */
  backendWallet: string;
  /** Tokens, with their chains, that can be sent. */
  supported: Token[];
  limits: WithdrawalLimits;
}

/** What one withdrawal may be worth. */
export interface WithdrawalLimits {
  /** USD cents. */
  minAmountInCents: number;
  /** USD cents. */
  maxAmountInCents: number;
}

export const withdrawalLimitsSchema = openObject({
  minAmountInCents: number,
  maxAmountInCents: number,
});
true satisfies Same<WithdrawalLimits, Output<typeof withdrawalLimitsSchema>>;

export const withdrawalConfigSchema = openObject({
  backendWallet: text,
  supported: listOf(tokenSchema),
  limits: withdrawalLimitsSchema,
});
true satisfies Same<WithdrawalConfig, Output<typeof withdrawalConfigSchema>>;
