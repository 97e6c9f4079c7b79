import type { Payment } from "../../wire/payment.ts";
import { isPaid } from "../../wire/payment-status.ts";
import type { Quote } from "../../wire/quote.ts";
import { choicesOf, type Known } from "./state.ts";
import { printable, type Texts } from "./texts.ts";

/** A final status in words, with advice. */
export function outcomeOf(payment: Payment, { sent }: Known, texts: Texts): string {
  const { status } = payment;
  const received = moneyReceived(payment, texts);
  if (isPaid(status)) {
    if (received === undefined) return texts.say("thanks");
    return texts.say(excess(payment) === "over" ? "overpaid" : "arrived", { received });
  }
  if (status === "refunded" || status === "partially_refunded") return texts.say("refundedHelp");
  if (status === "failed") {
    const isShort = received !== undefined && excess(payment) !== "exact";
    return isShort ? texts.say("underpaid", { received }) : texts.say("failedHelp");
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

/** How the received amount compares with the amount due, in the token's smallest units; undefined if unknown. */
function excess({ receipt, quotes }: Payment): "short" | "exact" | "over" | undefined {
  const { settledAmountAsset, settledToken, settledChain, selectedQuote } = receipt ?? {};
  const settled = `${settledChain?.chainId}:${settledToken?.contractAddress?.toLowerCase()}`;
  const isSettled = (quote: Quote) =>
    quote.status === "used" && choicesOf([quote])[0]?.key === settled;
  const expected = (selectedQuote ?? quotes.find(isSettled))?.expectedAmountAsset;
  const digits = /^\d{1,78}$/;
  if (!digits.test(settledAmountAsset ?? "") || !digits.test(expected ?? "")) return undefined;
  const difference = BigInt(settledAmountAsset ?? "") - BigInt(expected ?? "");
  return difference === 0n ? "exact" : difference > 0n ? "over" : "short";
}
