import type { PaymentReceipt } from "../../wire/payment-receipt.ts";
import type { Quote } from "../../wire/quote.ts";
import type { Withdrawal, WithdrawalReceipt } from "../../wire/withdrawal.ts";
import type { RandomStream } from "../random.ts";
import { expectedUnits, worthInCents } from "./quotes.ts";
import { etherRateUsd, type PricedToken } from "./tokens.ts";

/** Milliseconds per block, as on Base; block numbers follow from it (assumed). */
export const blockTimeMs = 2_000;
/** Gas for a plain and for a token transfer (assumed). */
const gasUsed = { native: 21_000, token: 65_000 } as const;
const gasPriceWei = 1_000_000_000n;
const ether = { decimals: 18, rateUsd: etherRateUsd };

interface Draw {
  readonly nowMs: number;
  readonly random: RandomStream;
}

interface Settlement extends Draw {
  readonly quote: Quote;
  /** The amount that arrived, in the token's smallest unit. */
  readonly units: bigint;
}

/** The receipt of a payment, in the longer of the two published shapes. */
export function receiptOf({ quote, units, nowMs, random }: Settlement): PaymentReceipt {
  const { paymentId, token, chainId, rateUsdAsset } = quote;
  return {
    paymentId,
    selectedQuote: quote,
    ...transfer({ token, chainId, rateUsd: rateUsdAsset }, units, { nowMs, random }),
    txSenderAddress: random.address(),
    txIsSponsored: false,
    processedBy: "webhook",
    txRiskScore: null,
    txRiskSeverity: null,
    txRiskProvider: null,
  };
}

export interface Payout extends Draw {
  readonly withdrawal: Withdrawal;
  readonly sent: PricedToken;
  readonly senderAddress: string;
}

/** The receipt of a withdrawal (interface section 2.6). */
export function payoutReceipt(payout: Payout): WithdrawalReceipt {
  const { withdrawal, sent, senderAddress, nowMs, random } = payout;
  const { decimals } = sent.token;
  const units = expectedUnits(withdrawal.amountInCents, { decimals, rateUsd: sent.rateUsd });
  return {
    withdrawalId: withdrawal.id,
    ...transfer(sent, units, { nowMs, random }),
    txSenderAddress: senderAddress,
    txIsSponsored: true,
    processedBy: "cron",
  };
}

/** The fields of a transaction that both receipts share. */
function transfer(
  { token, chainId, rateUsd }: Omit<PricedToken, "chainId"> & Pick<Quote, "chainId">,
  units: bigint,
  draw: Draw,
) {
  const { symbol, decimals, contractAddress } = token;
  const cents = worthInCents(units, { decimals, rateUsd });
  const at = new Date(draw.nowMs).toISOString();
  const txGasUsed = token.assetType === "native" ? gasUsed.native : gasUsed.token;
  const costWei = BigInt(txGasUsed) * gasPriceWei;
  return {
    settledToken: { symbol, decimals, contractAddress },
    settledChain: { chainId, name: token.chain?.name ?? null },
    settledAmountAsset: units.toString(),
    settledAmountUsd: `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`,
    txHash: `0x${draw.random.hex(32)}`,
    txBlockNumber: Math.floor(draw.nowMs / blockTimeMs),
    txTimestamp: at,
    txGasUsed,
    txTotalCost: costWei.toString(),
    txTotalCostUsdFractions: Number(worthInCents(costWei, ether)),
    createdAt: at,
  };
}
