import { isFinal, isPaid, type Payment } from "../../../checkout/index.ts";
import { type CopyButton, part, type ReturnLink } from "./elements.ts";

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

/** A final status in words for the customer. */
function outcomeText(payment: Payment): string {
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
    ? "Nothing arrived in time. Do not send anything to this address."
    : "Do not send anything to this address.";
}

/** Such as `$25.00 in USDC on Base Sepolia`; undefined when nothing arrived. */
function receivedText(payment: Payment): string | undefined {
  const received = dollarsReceived(payment);
  const { settledToken, settledChain } = payment.receipt ?? {};
  const token = settledToken?.symbol ? ` in ${settledToken.symbol}` : "";
  const chain = settledChain?.name ? ` on ${settledChain.name}` : "";
  return received && received + token + chain;
}

/** The hash of the transaction that brought the money, under either of its published names. */
function transactionOf({ receipt }: Payment): string | undefined {
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

/** Shows the progress of a payment and its outcome. */
export function showState(page: HTMLElement, payment: Payment): void {
  const { status } = payment;
  page.dataset.status = status;
  say(page, status, statusText(status));
  showSteps(page, status);
  part(page, "confirming").hidden = status !== "processing";
  if (status === "processing") showConfirmations(page, payment);
  if (status !== "pending") {
    part(page, "pay").hidden = true;
    part(page, "deposit").hidden = true;
  }
  if (isFinal(status)) showOutcome(page, payment);
}

/** The status line; screen readers announce its changes. */
export function say(page: HTMLElement, state: string, text: string): void {
  part(page, "status").dataset.state = state;
  const line = part(page, "status-text");
  if (line.textContent !== text) line.textContent = text;
}

function showSteps(page: HTMLElement, status: string): void {
  const reached = isPaid(status) ? 3 : status === "processing" ? 1 : 0;
  for (const [index, step] of Array.from(part(page, "steps").children).entries()) {
    if (index < reached) step.setAttribute("data-state", "done");
    if (index === reached) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  }
}

function showConfirmations(page: HTMLElement, { receipt }: Payment): void {
  const { confirmations, requiredConfirmations } = receipt ?? {};
  const bar = part<HTMLProgressElement>(page, "confirmations");
  const text = part(page, "confirmations-text");
  if (typeof confirmations !== "number" || typeof requiredConfirmations !== "number") {
    // A service may not say: a bar without a value shows that it is in progress.
    bar.removeAttribute("value");
    text.textContent = "Being confirmed by the network";
    return;
  }
  bar.max = requiredConfirmations;
  bar.value = confirmations;
  text.textContent = `${confirmations} of ${requiredConfirmations} confirmations`;
}

function showOutcome(page: HTMLElement, payment: Payment): void {
  const { status } = payment;
  page.dataset.tone = isPaid(status) ? "good" : "bad";
  part(page, "outcome").hidden = false;
  part(page, "outcome-text").textContent = outcomeText(payment);
  const received = receivedText(payment);
  const hash = transactionOf(payment);
  if (received !== undefined && hash !== undefined) {
    part(page, "received-amount").textContent = received;
    part(page, "transaction").textContent = hash;
    part<CopyButton>(page, "copy-transaction").value = hash;
    part(page, "received").hidden = false;
  }
  if (isPaid(status)) page.querySelector<ReturnLink>("return-link")?.start();
}
