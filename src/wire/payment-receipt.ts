import * as z from "zod/mini";
import { chainIdSchema } from "./chain-id.ts";
import { openObject, type Same } from "./schema.ts";

/** A token as a receipt names it. */
export interface SettledToken {
  symbol?: string | null;
  decimals?: number | null;
  contractAddress?: string | null;
}

/** A chain as a receipt names it. */
export interface SettledChain {
  chainId?: number | null;
  name?: string | null;
}

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

const text = z.exactOptional(z.nullable(z.string()));
const number = z.exactOptional(z.nullable(z.number()));
const decimal = z.exactOptional(
  z.nullable(z.union([z.string(), z.pipe(z.number(), z.transform(String))])),
);

export const paymentReceiptSchema = openObject({
  paymentId: text,
  selectedQuote: z.exactOptional(z.unknown()),
  settledToken: z.exactOptional(
    z.nullable(openObject({ symbol: text, decimals: number, contractAddress: text })),
  ),
  settledChain: z.exactOptional(
    z.nullable(openObject({ chainId: z.exactOptional(z.nullable(chainIdSchema)), name: text })),
  ),
  settledAmountAsset: decimal,
  settledAmountUsd: decimal,
  txHash: text,
  txBlockNumber: number,
  txTimestamp: text,
  txSenderAddress: text,
  txGasUsed: number,
  txTotalCost: decimal,
  txTotalCostUsdFractions: number,
  txIsSponsored: z.exactOptional(z.nullable(z.boolean())),
  processedBy: text,
  txRiskScore: z.exactOptional(z.nullable(z.union([z.number(), z.string()]))),
  txRiskSeverity: text,
  txRiskProvider: text,
  createdAt: text,
  transactionHash: text,
  blockNumber: number,
  confirmations: number,
  requiredConfirmations: number,
  completedAt: text,
});
true satisfies Same<PaymentReceipt, z.output<typeof paymentReceiptSchema>>;
