import { isPaid, type Payment } from "../../checkout/index.ts";

const statusTexts: Readonly<Record<string, string>> = {
  pending: "Waiting for your payment",
  processing: "Your payment has been seen",
  completed: "Paid",
  confirmed: "Paid",
  failed: "The payment failed",
  expired: "The payment has expired",
  cancelled: "The payment was cancelled",
};

export function statusText(status: string): string {
  return Object.hasOwn(statusTexts, status) ? (statusTexts[status] ?? status) : status;
}

/** What a final status means for the customer. */
export function outcomeText(payment: Payment): string {
  const { status } = payment;
  const received = dollarsReceived(payment);
  if (isPaid(status)) return received ? `${received} arrived. Thank you.` : "Thank you.";
  if (status === "failed") {
    return received
      ? `${received} arrived, which is not enough. The shop knows, and can help you.`
      : "The shop knows, and can help you.";
  }
  if (received) return `${received} arrived too late. The shop knows, and can help you.`;
  return status === "expired"
    ? "Nothing arrived in time. Do not send anything to the address any more."
    : "Do not send anything to the address any more.";
}

/** Such as `$25.00 in USDC on Base Sepolia`; undefined when nothing arrived. */
export function receivedText(payment: Payment): string | undefined {
  const received = dollarsReceived(payment);
  const { settledToken, settledChain } = payment.receipt ?? {};
  const token = settledToken?.symbol ? ` in ${settledToken.symbol}` : "";
  const chain = settledChain?.name ? ` on ${settledChain.name}` : "";
  return received && received + token + chain;
}

/** The hash of the transaction that brought the money, under either of its published names. */
export function transactionOf({ receipt }: Payment): string | undefined {
  return receipt?.txHash ?? receipt?.transactionHash ?? undefined;
}

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

function dollarsReceived({ receipt }: Payment): string | undefined {
  const usd = receipt?.settledAmountUsd;
  return usd ? dollars.format(Number(usd)) : undefined;
}

/** `9:05` of milliseconds. */
export function timeText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
