import { html } from "hono/html";
import type { Evidence } from "../../wire/operation.ts";
import type { Payment } from "../../wire/payment.ts";
import { paymentOutcomes } from "../service/payment-scenarios.ts";
import type { UpcomingStep } from "../service/scenarios.ts";
import {
  commandButton,
  customerScenarios,
  dollars,
  evidenceBadge,
  type Html,
  type PagesOptions,
  paceChoice,
  pageAnswer,
  primary,
  stepText,
} from "./components.ts";

/** The page at `paymentUrl`. The link carries no secret; the page does. */
export function paymentPage(
  { sandbox, payments }: PagesOptions,
  paymentId: string,
  origin: string,
): Promise<Response> {
  const payment = payments.find(paymentId);
  if (payment === undefined) return pageAnswer("payment", "Payment not found", notFound, 404);
  const { type, merchantShortName, amountDueCents, amountInCents } = payment;
  const amount = type === "deposit" ? "A deposit" : dollars(amountDueCents ?? amountInCents);
  const { secret, returnUrl } = payments.detailsOf(paymentId) ?? {};
  const body = html`<div class="layout">
<main><settlekit-checkout payment-id="${paymentId}" secret="${secret}" base-url="${origin}" header-prefix="${sandbox.headerPrefix}"${returnUrl && html` return-url="${returnUrl}"`}></settlekit-checkout>
<noscript><p class="card notice">This page needs JavaScript to show the payment.</p></noscript></main>
${sandboxStrip(payment, sandbox.payments.upcoming(paymentId))}
</div>`;
  return pageAnswer("payment", `${amount} to ${merchantShortName}`, body);
}

const notFound = html`<div class="layout alone"><main><div class="card notice">
<h1>Payment not found</h1>
<p>The link may be incomplete, or the sandbox may have been restarted. Ask the shop for a new link.</p>
</div></main></div>`;

/** The page's claims, and the evidence that the service behaves the same; docs/sandbox.md has the same table. */
export const simulated: readonly (readonly [claim: string, evidence: Evidence])[] = [
  ["A payment has a page at /payment/{paymentId}.", "documented"],
  ["An underpaid payment fails, an overpaid one completes, an unpaid one expires.", "published"],
  ["A price is valid for ten minutes.", "published"],
  ["Base Sepolia needs 10 confirmations.", "published"],
  ["A payment expires 15 minutes after its creation.", "assumed"],
  ["Money that arrives late still completes the payment.", "assumed"],
  ["The page's design, and the automatic return to the shop.", "assumed"],
];

/** The sandbox's own part of the page: buttons that act as the customer's wallet. */
function sandboxStrip(payment: Payment, [next]: readonly UpcomingStep<string>[]): Html {
  const path = `payments/${payment.id}`;
  return html`<aside aria-labelledby="sandbox-title">
<h2 id="sandbox-title">Sandbox</h2>
<p>No real money moves here.</p>
${paceChoice("Act as the customer")}
<div data-live="next">${next && html`${commandButton("Next step", `${path}/step`, { attributes: primary })}<p class="effect" role="status" id="next">Next: ${stepText(next)}.</p>`}</div>
<ul class="scenarios" data-live="scenarios">${customerScenarios.map(([scenario, name, effect]) => {
    const isOver = next !== undefined || !paymentOutcomes[scenario].from.includes(payment.status);
    const attributes = html` aria-describedby="about-${scenario}"${isOver && html` disabled`}`;
    const button = commandButton(name, `${path}/simulate`, { body: { scenario }, attributes });
    return html`<li>${button}<p class="effect" id="about-${scenario}">${effect}</p></li>`;
  })}</ul>
<p role="status" class="note" id="said"></p>
<details class="simulated"><summary>What is simulated here?</summary>
<ul>${simulated.map(([claim, evidence]) => html`<li>${evidenceBadge(evidence)} ${claim}</li>`)}</ul></details>
<p><a href="/_sandbox?about=${payment.id}">Open in the inspector</a></p>
</aside>`;
}
