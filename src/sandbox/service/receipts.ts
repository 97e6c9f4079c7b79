import type { Quote } from "../../wire/quote.ts";
import type { PaymentReceipt, WithdrawalReceipt } from "../../wire/receipt.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { RandomStream } from "../random.ts";
import { expectedUnits, worthInCents } from "./quotes.ts";
import { ratesUsd, usdcOn } from "./tokens.ts";

/** Milliseconds per block, as on Base; block numbers are derived from it (assumed). */
export const blockTimeMs = 2_000;
/** The cost of a token's transfer, at one gwei for a unit of gas and the fixed price of ether (assumed). */
const cost = { txGasUsed: 65_000, txTotalCost: "65000000000000", txTotalCostUsdFractions: 20 };

interface Draw {
  readonly nowMs: number;
  readonly random: RandomStream;
}

/**
 * The receipt of a payment, in the longer of the two shapes that are published elsewhere.
 *
 * @param units The amount that arrived, in the token's smallest unit.
 */
export function receiptOf(quote: Quote, units: bigint, draw: Draw): PaymentReceipt {
  return {
    paymentId: quote.paymentId,
    selectedQuote: quote,
    ...transfer(quote, quote.rateUsdAsset, units, draw),
    txSenderAddress: draw.random.address(),
    txIsSponsored: false,
    processedBy: "webhook",
    txRiskScore: null,
    txRiskSeverity: null,
    txRiskProvider: null,
  };
}

/** The receipt of a withdrawal (interface section 2.6). */
export function payoutReceipt(
  { id, amountInCents, chainId }: Withdrawal,
  senderAddress: string,
  draw: Draw,
): WithdrawalReceipt {
  const token = usdcOn(chainId);
  const rateUsd = ratesUsd[token.symbol];
  const units = expectedUnits(amountInCents, { ...token, rateUsd });
  return {
    withdrawalId: id,
    ...transfer({ token, chainId }, rateUsd, units, draw),
    txSenderAddress: senderAddress,
    txIsSponsored: true,
    processedBy: "cron",
  };
}

/** The fields of a transaction that both receipts share. */
function transfer(
  { token, chainId }: Pick<Quote, "token" | "chainId">,
  rateUsd: string,
  units: bigint,
  { nowMs, random }: Draw,
) {
  const { symbol, decimals, contractAddress } = token;
  const cents = worthInCents(units, { decimals, rateUsd });
  const at = new Date(nowMs).toISOString();
  return {
    settledToken: { symbol, decimals, contractAddress },
    settledChain: { chainId, name: token.chain?.name ?? null },
    settledAmountAsset: units.toString(),
    settledAmountUsd: `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`,
    txHash: `0x${random.hex(32)}`,
    txBlockNumber: Math.floor(nowMs / blockTimeMs),
    txTimestamp: at,
    ...cost,
    createdAt: at,
  };
}
