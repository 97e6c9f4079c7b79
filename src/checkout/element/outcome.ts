import type { Payment } from "../../wire/payment.ts";
import { isPaid } from "../../wire/payment-status.ts";
import type { Quote } from "../../wire/quote.ts";
import { choicesOf, type Known, tokenKey } from "./state.ts";
import { printable, type Texts } from "./texts.ts";

/** A final status in words, with advice. */
export function outcomeOf(payment: Payment, { sent }: Known, texts: Texts): string {
  const { status } = payment;
  const received = moneyReceived(payment, texts);
  if (isPaid(status)) {
    if (received === undefined) return texts.say("thanks");
    return texts.say((excessOf(payment) ?? 0n) > 0n ? "overpaid" : "arrived", { received });
  }
  if (status === "refunded" || status === "partially_refunded") return texts.say("refundedHelp");
  if (status === "failed") {
    // Too little is the usual reason, even if the service does not say how much was due.
    const isShort = (excessOf(payment) ?? -1n) < 0n;
    return received && isShort ? texts.say("underpaid", { received }) : texts.say("failedHelp");
  }
  if (received !== undefined) return texts.say("late", { received });
  if (sent.length > 0) return texts.say("sentLate");
  return texts.say(status === "expired" ? "expiredHelp" : "cancelledHelp");
}

function moneyReceived({ receipt, currency }: Payment, texts: Texts): string | undefined {
  const dollars = Number(receipt?.settledAmountUsd ?? 0);
  return dollars > 0 ? texts.money(dollars * 100, currency) : undefined;
}

/** Such as `$25.00 in USDC on Base Sepolia`. */
export function receivedOf(payment: Payment, texts: Texts): string | undefined {
  const amount = moneyReceived(payment, texts);
  const { settledToken, settledChain } = payment.receipt ?? {};
  const [token, network] = [printable(settledToken?.symbol), printable(settledChain?.name)];
  if (amount === undefined || token === "" || network === "") return amount;
  return texts.say("receivedIn", { amount, token, network });
}

/** What arrived beyond the amount due, in the token's smallest units; negative if too little, undefined if unknown. */
function excessOf({ receipt, quotes }: Payment): bigint | undefined {
  const { settledAmountAsset, settledToken, settledChain, selectedQuote } = receipt ?? {};
  const settled = tokenKey(settledChain?.chainId, settledToken?.contractAddress);
  const isSettled = (quote: Quote) =>
    choicesOf([quote])[0]?.key === settled && quote.status === "used";
  const expected = (selectedQuote ?? quotes.find(isSettled))?.expectedAmountAsset;
  const digits = /^\d{1,78}$/;
  if (!digits.test(settledAmountAsset ?? "") || !digits.test(expected ?? "")) return undefined;
  return BigInt(settledAmountAsset ?? "") - BigInt(expected ?? "");
}
