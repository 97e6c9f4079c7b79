import type { Quote } from "../../wire/quote.ts";
import type { PaymentReceipt, WithdrawalReceipt } from "../../wire/receipt.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { RandomStream } from "../random.ts";
import { expectedUnits, type Price, worthInCents } from "./quotes.ts";
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
 * The receipt of a payment, in the longer of the two shapes that are published elsewhere: with the whole token and chain.
 *
 * @param units The amount that arrived, in the token's smallest unit.
 */
export function paymentReceipt(quote: Quote, units: bigint, draw: Draw): PaymentReceipt {
  const price = { ...quote.token, rateUsd: quote.rateUsdAsset };
  return {
    paymentId: quote.paymentId,
    selectedQuote: quote,
    settledToken: quote.token,
    settledChain: quote.token.chain ?? null,
    ...transfer(price, units, draw, draw.random.address()),
    txIsSponsored: false,
    processedBy: "webhook",
    txRiskScore: null,
    txRiskSeverity: null,
    txRiskProvider: null,
    createdAt: new Date(draw.nowMs).toISOString(),
  };
}

/** The receipt of a withdrawal (interface section 2.6). */
export function withdrawalReceipt(
  { id, amountInCents, chainId }: Withdrawal,
  senderAddress: string,
  draw: Draw,
): WithdrawalReceipt {
  const { symbol, decimals, contractAddress, chain } = usdcOn(chainId);
  const price = { decimals, rateUsd: ratesUsd[symbol] };
  return {
    withdrawalId: id,
    settledToken: { symbol, decimals, contractAddress },
    settledChain: { chainId, name: chain.name },
    ...transfer(price, expectedUnits(amountInCents, price), draw, senderAddress),
    txIsSponsored: true,
    processedBy: "cron",
    createdAt: new Date(draw.nowMs).toISOString(),
  };
}

/** The fields of a transaction that both receipts share. */
function transfer(price: Price, units: bigint, { nowMs, random }: Draw, txSenderAddress: string) {
  const cents = worthInCents(units, price);
  return {
    settledAmountAsset: units.toString(),
    settledAmountUsd: `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`,
    txHash: `0x${random.hex(32)}`,
    txBlockNumber: Math.floor(nowMs / blockTimeMs),
    txTimestamp: new Date(nowMs).toISOString(),
    txSenderAddress,
    ...cost,
  };
}
