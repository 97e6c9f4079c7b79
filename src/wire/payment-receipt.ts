import { optionalBoolean, optionalDecimalText, optionalNumber, optionalText } from "./fields.ts";
import {
  anything,
  either,
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

/**
 * What was received for a payment. The interface document does not show its fields; two published
 * shapes exist, so every field may be missing or null.
 */
export interface PaymentReceipt {
  paymentId?: string | null;
  selectedQuote?: unknown;
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
  txIsSponsored?: boolean | null;
  processedBy?: string | null;
  txRiskScore?: number | string | null;
  txRiskSeverity?: string | null;
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
  selectedQuote: optional(anything),
  settledToken: optional(nullable(settledTokenSchema)),
  settledChain: optional(nullable(settledChainSchema)),
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
  processedBy: optionalText,
  txRiskScore: optional(nullable(either(number, text))),
  txRiskSeverity: optionalText,
  txRiskProvider: optionalText,
  createdAt: optionalText,
  transactionHash: optionalText,
  blockNumber: optionalNumber,
  confirmations: optionalNumber,
  requiredConfirmations: optionalNumber,
  completedAt: optionalText,
});
true satisfies Same<PaymentReceipt, Output<typeof paymentReceiptSchema>>;
