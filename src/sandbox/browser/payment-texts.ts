import type { Payment } from "../../checkout/index.ts";

const statusTexts: Readonly<Record<string, string>> = {
  pending: "Waiting for your payment",
  processing: "Your payment has been seen and is being confirmed",
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
export function outcomeText(status: string, payment: Payment | undefined): string {
  const received = amountReceived(payment);
  if (status === "expired")
    return "Nothing arrived in time. Do not send anything to the address any more.";
  if (status === "cancelled") return "Do not send anything to the address any more.";
  if (status === "failed") {
    return received
      ? `${received} arrived, which is not enough. The shop knows, and can help you.`
      : "The shop knows, and can help you.";
  }
  return received ? `${received} arrived. Thank you.` : "Thank you.";
}

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** As the receipt has it. */
function amountReceived(payment: Payment | undefined): string | undefined {
  const receipt = payment?.receipt;
  const usd = receipt && "settledAmountUsd" in receipt ? receipt.settledAmountUsd : undefined;
  return usd ? dollars.format(Number(usd)) : undefined;
}

/** `9:05` of milliseconds. */
export function timeText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Dollars with up to two decimals, as the form lets them pass, in cents. */
export function centsOf(dollars: string): number {
  const [whole = "", fraction = ""] = dollars.trim().split(".");
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}
