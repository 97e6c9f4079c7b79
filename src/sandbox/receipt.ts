import type { PaymentReceipt } from "../wire/payment-receipt.ts";
import type { Quote } from "../wire/quote.ts";
import { worthInCents } from "./quotes.ts";
import type { RandomStream } from "./random.ts";
import { etherRateUsd } from "./tokens.ts";

/** A plausible pace for block numbers, in milliseconds a block (assumed). */
const blockTimeMs = 2_000;
/** What a plain transfer and a token transfer use (assumed). */
const gasUsed = { native: 21_000, token: 65_000 } as const;
const gasPriceWei = 1_000_000_000n;
const ether = { decimals: 18, rateUsd: etherRateUsd };

export interface Settlement {
  readonly quote: Quote;
  /** What arrived, in the token's smallest unit. */
  readonly units: bigint;
  readonly nowMs: number;
  readonly random: RandomStream;
}

/** The receipt of money that arrived: the longer of the two published shapes. */
export function receiptOf({ quote, units, nowMs, random }: Settlement): PaymentReceipt {
  const { paymentId, token, chainId, rateUsdAsset } = quote;
  const { symbol, decimals, contractAddress } = token;
  const cents = worthInCents(units, { decimals, rateUsd: rateUsdAsset });
  const at = new Date(nowMs).toISOString();
  const txGasUsed = token.assetType === "native" ? gasUsed.native : gasUsed.token;
  const costWei = BigInt(txGasUsed) * gasPriceWei;
  return {
    paymentId,
    selectedQuote: quote,
    settledToken: { symbol, decimals, contractAddress },
    settledChain: { chainId, name: token.chain?.name ?? null },
    settledAmountAsset: units.toString(),
    settledAmountUsd: `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`,
    txHash: `0x${random.hex(32)}`,
    txBlockNumber: Math.floor(nowMs / blockTimeMs),
    txTimestamp: at,
    txSenderAddress: random.address(),
    txGasUsed,
    txTotalCost: costWei.toString(),
    txTotalCostUsdFractions: Number(worthInCents(costWei, ether)),
    txIsSponsored: false,
    processedBy: "webhook",
    txRiskScore: null,
    txRiskSeverity: null,
    txRiskProvider: null,
    createdAt: at,
  };
}
