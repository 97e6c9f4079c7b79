import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { UpcomingWithdrawalStep } from "../service/withdrawal-scenarios.ts";
import { isPlayable } from "../service/withdrawal-steps.ts";
import { commandButton, dollars, type Html, html, statusBadge, stepButton } from "./components.ts";

interface WithdrawalCard {
  readonly withdrawal: Withdrawal;
  readonly upcoming: readonly UpcomingWithdrawalStep[];
  /** Shown where there are several merchants. */
  readonly merchantName: string | undefined;
}

const plays = [
  ["process", "Process"],
  ["complete", "Complete"],
  ["fail", "Fail"],
  ["cancel", "Cancel"],
] as const;

export function withdrawalCard({ withdrawal, upcoming, merchantName }: WithdrawalCard): Html {
  const { id, amountInCents, status, orderId, recipientAddress, errorMessage } = withdrawal;
  const about = `withdrawal ${orderId ?? id}`;
  return html`<li id="withdrawal-${id}" class="small-card">
<p class="head"><strong>${dollars(amountInCents)}</strong> <bdi>${orderId}</bdi>${statusBadge(status)}</p>
${merchantName && html`<p class="quiet">${merchantName}</p>`}
<p class="quiet"><span class="visually-hidden">To </span><code>${recipientAddress}</code></p>
${errorMessage && html`<p class="quiet">${errorMessage}</p>`}
${upcoming.length > 0 ? stepButton({ path: `withdrawals/${id}/step`, about, next: nextText(upcoming) }) : playButtons(withdrawal, about)}
<p class="links"><a href="/_sandbox?about=${id}">Its timeline<span class="visually-hidden"> of ${about}</span></a></p>
</li>`;
}

function playButtons(withdrawal: Withdrawal, about: string): Html | undefined {
  const possible = plays.filter(([scenario]) => isPlayable(withdrawal, scenario));
  if (possible.length === 0) return undefined;
  return html`<div class="buttons">${possible.map(([scenario, name]) =>
    commandButton({
      name,
      about,
      path: `withdrawals/${withdrawal.id}/simulate`,
      body: { scenario },
      isPlayed: true,
    }),
  )}</div>`;
}

function nextText([next]: readonly UpcomingWithdrawalStep[]): string {
  if (next === undefined) return "";
  return next.dueAt === null ? next.status : `${next.status}, at ${next.dueAt.slice(11, 19)}`;
}
