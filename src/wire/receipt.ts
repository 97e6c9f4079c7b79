import * as z from "zod/mini";
import {
  type AllNullish,
  allNullish,
  decimalText,
  identifier,
  nullish,
  type OpenEnum,
  openEnum,
  openObject,
  optionalNumber,
  optionalText,
  type Same,
  timestamp,
} from "./fields.ts";
import { type Quote, quoteSchema } from "./quote.ts";
import {
  type SettledChain,
  type SettledToken,
  settledChainSchema,
  settledTokenSchema,
} from "./token.ts";

/** The transaction of a receipt (interface section 2.6). */
export interface SettledTransaction {
  /** The token that was transferred. */
  settledToken: SettledToken | null;
  /** The network of the transaction. */
  settledChain: SettledChain | null;
  /** Amount in the token's smallest unit, as a decimal string. */
  settledAmountAsset: string | null;
  /** Decimal USD value. */
  settledAmountUsd: string | null;
  /** Hash of the transaction. */
  txHash?: string | null;
  /** Block of the transaction. */
  txBlockNumber: number | null;
  /** ISO 8601, UTC. */
  txTimestamp: string | null;
  /** The address that sent it. */
  txSenderAddress: string | null;
  /** Gas that the transaction used. */
  txGasUsed: number | null;
  /** The transaction's cost, presumably in the network's smallest unit: the unit is not documented. */
  txTotalCost: string | null;
  /** The transaction's cost in fractions of a USD. Their size is not documented. */
  txTotalCostUsdFractions: number | null;
  /** Whether the service paid for the gas. */
  txIsSponsored: boolean | null;
  /** ISO 8601, UTC. */
  createdAt: string;
}

const settledTransactionSchema = openObject({
  settledToken: z.nullable(settledTokenSchema),
  settledChain: z.nullable(settledChainSchema),
  settledAmountAsset: z.nullable(z.string()),
  settledAmountUsd: z.nullable(decimalText),
  txHash: optionalText,
  txBlockNumber: z.nullable(z.number()),
  txTimestamp: z.nullable(timestamp),
  txSenderAddress: z.nullable(z.string()),
  txGasUsed: z.nullable(z.number()),
  txTotalCost: z.nullable(z.string()),
  txTotalCostUsdFractions: z.nullable(z.number()),
  txIsSponsored: z.nullable(z.boolean()),
  createdAt: timestamp,
});

/** The receipt of a withdrawal (interface section 2.6). */
export interface WithdrawalReceipt extends SettledTransaction {
  /** The withdrawal that it belongs to. */
  withdrawalId: string;
  /** The part of the service that processed it. */
  processedBy: OpenEnum<"webhook" | "frontend" | "cron" | "manual"> | null;
}

export const withdrawalReceiptSchema = openObject({
  ...settledTransactionSchema.shape,
  withdrawalId: identifier,
  processedBy: z.nullable(openEnum("webhook", "frontend", "cron", "manual")),
});
true satisfies Same<WithdrawalReceipt, z.output<typeof withdrawalReceiptSchema>>;

/**
 * The receipt of a payment. The interface document does not show its fields; two shapes are published elsewhere, so
 * every field may be missing or null.
 */
export interface PaymentReceipt extends AllNullish<SettledTransaction> {
  paymentId?: string | null;
  /** The quote that was paid. */
  selectedQuote?: Quote | null;
  /** The part of the service that processed it. */
  processedBy?: OpenEnum<"webhook" | "frontend" | "cron" | "manual" | "shout_webhook"> | null;
  /** Risk of the sender. */
  txRiskScore?: number | string | null;
  /** Risk of the sender in words. */
  txRiskSeverity?: OpenEnum<
    "CRITICAL_RISK" | "HIGH_RISK" | "MEDIUM_RISK" | "LOW_RISK" | "NO_RISK"
  > | null;
  /** The provider of the risk assessment. */
  txRiskProvider?: string | null;
  /** Hash of the transaction. */
  transactionHash?: string | null;
  /** Block of the transaction. */
  blockNumber?: number | null;
  /** Blocks mined on top of the transaction's. */
  confirmations?: number | null;
  /** Blocks that the service waits for. */
  requiredConfirmations?: number | null;
  /** ISO 8601, UTC. */
  completedAt?: string | null;
}

export const paymentReceiptSchema = openObject({
  ...allNullish(settledTransactionSchema).shape,
  paymentId: optionalText,
  selectedQuote: nullish(quoteSchema),
  processedBy: nullish(openEnum("webhook", "frontend", "cron", "manual", "shout_webhook")),
  txRiskScore: nullish(z.union([z.number(), z.string()])),
  txRiskSeverity: nullish(
    openEnum("CRITICAL_RISK", "HIGH_RISK", "MEDIUM_RISK", "LOW_RISK", "NO_RISK"),
  ),
  txRiskProvider: optionalText,
  transactionHash: optionalText,
  blockNumber: optionalNumber,
  confirmations: optionalNumber,
  requiredConfirmations: optionalNumber,
  completedAt: optionalText,
});
true satisfies Same<PaymentReceipt, z.output<typeof paymentReceiptSchema>>;
