import { isFinal, isPaid, type Payment } from "../../checkout/index.ts";
import type { CopyButton } from "./copy-button.ts";
import { part } from "./parts.ts";
import { outcomeText, receivedText, statusText, transactionOf } from "./payment-texts.ts";
import type { ReturnLink } from "./return-link.ts";

/** Shows how far a payment has come, and what became of it. */
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

/** The line that says how things stand; screen readers say it when it changes. */
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
    // Not every service tells: a bar without a value says that it goes on.
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
