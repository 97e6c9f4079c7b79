import type { Payment } from "../../../wire/payment.ts";
import type { UpcomingPaymentStep } from "../../scenarios/payment-scenarios.ts";
import { isPlayable } from "../../scenarios/payment-steps.ts";
import { commandButton } from "../command-button.ts";
import { dollars } from "../dollars.ts";
import { type Html, html } from "../html.ts";
import { statusBadge } from "../status-badge.ts";
import { stepButton } from "../step-button.ts";

interface PaymentCard {
  readonly payment: Payment;
  readonly upcoming: readonly UpcomingPaymentStep[];
  /** Shown where there are several merchants. */
  readonly merchantName: string | undefined;
}

const plays = [
  ["success", "Pay exactly"],
  ["underpayment", "Too little"],
  ["overpayment", "Too much"],
  ["late", "Late"],
  ["timeout", "Expire"],
] as const;

export function paymentCard({ payment, upcoming, merchantName }: PaymentCard): Html {
  const { id, type, amountInCents, status, orderId } = payment;
  const isUnknown = type === "deposit" && amountInCents === 0;
  const about = `order ${orderId ?? id}`;
  return html`<li id="payment-${id}" class="small-card">
<p class="head"><strong>${isUnknown ? "Deposit" : dollars(amountInCents)}</strong> <bdi>${orderId}</bdi>${statusBadge(status)}</p>
${merchantName && html`<p class="quiet">${merchantName}</p>`}
${confirmations(payment)}
${upcoming.length > 0 ? stepButton({ path: `payments/${id}/step`, about, next: nextText(upcoming) }) : playButtons(payment, about)}
<p class="links"><a href="/payment/${id}">Payment page<span class="visually-hidden"> of ${about}</span></a><a href="/_sandbox?about=${id}">Its timeline<span class="visually-hidden"> of ${about}</span></a></p>
</li>`;
}

function playButtons(payment: Payment, about: string): Html | undefined {
  const possible = plays.filter(([scenario]) => isPlayable(payment, scenario));
  if (possible.length === 0) return undefined;
  return html`<div class="buttons">${possible.map(([scenario, name]) =>
    commandButton({
      name,
      about,
      path: `payments/${payment.id}/simulate`,
      body: { scenario },
      isPlayed: true,
    }),
  )}</div>`;
}

function confirmations({ status, receipt }: Payment): Html | undefined {
  const { confirmations: seen, requiredConfirmations: needed } = receipt ?? {};
  if (status !== "processing" || typeof seen !== "number" || typeof needed !== "number") {
    return undefined;
  }
  const text = `${seen} of ${needed} confirmations`;
  return html`<div class="confirmations"><progress max="${needed}" value="${seen}" aria-label="Confirmations"></progress><span class="quiet">${text}</span></div>`;
}

function nextText([next]: readonly UpcomingPaymentStep[]): string {
  if (next === undefined) return "";
  const { status, confirmations: seen, dueAt } = next;
  const what = seen === null ? status : `${status}, confirmed ${seen}×`;
  return dueAt === null ? what : `${what}, at ${dueAt.slice(11, 19)}`;
}
