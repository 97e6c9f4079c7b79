import { chainIdSchema } from "./chain-id.ts";
import { decimalText, optionalText } from "./fields.ts";
import { type OpenEnum, openEnum } from "./open-enum.ts";
import {
  boolean,
  nullable,
  number,
  type Output,
  openObject,
  optional,
  type Same,
  text,
} from "./schema.ts";
import {
  type SettledChain,
  type SettledToken,
  settledChainSchema,
  settledTokenSchema,
} from "./settlement.ts";

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
