import { html } from "hono/html";
import type { Evidence } from "../../wire/openapi-prose.ts";
import type { Payment } from "../../wire/payment.ts";
import { isFinal } from "../../wire/payment-status.ts";
import { isPaymentPlayable, type UpcomingPaymentStep } from "../service/payment-scenarios.ts";
import { defaultToken, type PricedToken, pricedTokens } from "../service/tokens.ts";
import {
  commandButton,
  dollars,
  evidenceBadge,
  type Html,
  paceChoice,
  segments,
  stepText,
} from "./components.ts";
import { pageAnswer } from "./page.ts";

interface PaymentPageOptions {
  readonly payment: Payment;
  /** The payment's own. */
  readonly secret: string;
  /** Where the customer returns after paying. */
  readonly returnUrl: string | undefined;
  readonly upcoming: readonly UpcomingPaymentStep[];
  readonly headerPrefix: string;
}

/** The page that `paymentUrl` opens. The link carries no secret; the page does. */
export function paymentPage(options: PaymentPageOptions): Promise<Response> {
  const { payment, upcoming } = options;
  const amount = payment.type === "deposit" ? "A deposit" : dollars(totalOf(payment));
  return pageAnswer({
    title: `${amount} to ${payment.merchantShortName}`,
    asset: "payment",
    body: html`<div class="layout">
<main>${checkout(options)}</main>
${sandboxStrip(payment, upcoming)}
</div>`,
  });
}

/** The answer to an id that no payment has. */
export function unknownPaymentPage(): Promise<Response> {
  return pageAnswer({
    status: 404,
    title: "No such payment",
    asset: "payment",
    body: html`<div class="layout alone"><main><div class="card notice">
<h1>There is no such payment</h1>
<p>The link may be incomplete, or the sandbox was restarted since. Ask the shop for a new link.</p>
</div></main></div>`,
  });
}

/** Fees included. */
function totalOf({ amountDueCents, amountInCents }: Payment): number {
  return amountDueCents ?? amountInCents;
}

function checkout({ payment, secret, returnUrl, headerPrefix }: PaymentPageOptions): Html {
  const { id, type, merchantShortName, orderId } = payment;
  const isDeposit = type === "deposit";
  return html`<settlekit-payment class="card" payment-id="${id}" secret="${secret}" header-prefix="${headerPrefix}"
 tokens="${JSON.stringify(pricedTokens.map(choiceOf))}" aria-busy="true">
<header>
<p class="merchant"><span class="monogram" aria-hidden="true">${initials(merchantShortName)}</span>${merchantShortName}${orderId && html`<span class="order">Order <bdi>${orderId}</bdi></span>`}</p>
<h1>${isDeposit ? "Make a deposit" : dollars(totalOf(payment))}</h1>
<p class="status" role="status" data-part="status"><span class="dot" aria-hidden="true"></span><span data-part="status-text">Loading the payment…</span></p>
</header>
<ol class="steps" data-part="steps" aria-label="Progress"><li aria-current="step">Waiting</li><li>Confirming</li><li>Paid</li></ol>
<form data-part="deposit" class="deposit"${!isDeposit && html` hidden`}>
<label for="deposit-amount">Amount in US dollars</label>
<div class="field"><span aria-hidden="true">$</span><input id="deposit-amount" name="amount" inputmode="decimal" autocomplete="off" value="25.00" required pattern="[0-9]{1,7}([.][0-9]{1,2})?"><button class="primary">Continue</button></div>
</form>
${howToPay()}
<section data-part="confirming" class="confirming" aria-label="Confirmation" hidden>
<p class="count" data-part="confirmations-text"></p>
<progress data-part="confirmations" aria-label="Network confirmations"></progress>
<p>Your money is on its way. You can close this page; the shop is notified either way.</p>
</section>
${outcome(returnUrl)}
<noscript><p class="no-script">This page needs JavaScript to show what to pay.</p></noscript>
</settlekit-payment>`;
}

function howToPay(): Html {
  const symbols = new Set(pricedTokens.map(({ token }) => token.symbol));
  const networks = new Set(pricedTokens.map(networkOf));
  return html`<section data-part="pay" aria-label="How to pay" hidden>
<div class="choices">
${choice("Token", "token", symbols, defaultToken.token.symbol)}
${choice("Network", "network", networks, networkOf(defaultToken))}
</div>
<div class="transfer">
<div class="qr" role="img" aria-label="QR code of the deposit address" data-part="qr"></div>
<dl class="facts">
<div><dt>Send exactly</dt><dd><output data-part="amount" class="amount"></output><copy-button data-part="copy-amount" label="Copy the amount"></copy-button></dd></div>
<div><dt>To this address on <span data-part="network"></span></dt><dd><code data-part="address"></code><copy-button data-part="copy-address" label="Copy the address"></copy-button></dd></div>
</dl>
</div>
<div class="countdown"><p>This price is valid for <span role="timer" data-part="remaining"></span></p><div class="track" aria-hidden="true"><span data-part="track"></span></div></div>
</section>`;
}

function outcome(returnUrl: string | undefined): Html {
  return html`<section data-part="outcome" class="outcome" aria-label="Outcome" hidden>
<div class="summary"><svg class="mark mark-good" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="m7.5 12.5 3 3 6-6.5"/></svg><svg class="mark mark-bad" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="m8.5 8.5 7 7m0-7-7 7"/></svg><p data-part="outcome-text"></p></div>
<dl class="facts" data-part="received" hidden>
<div><dt>Received</dt><dd><output data-part="received-amount" class="amount"></output></dd></div>
<div><dt>Transaction</dt><dd><code data-part="transaction"></code><copy-button data-part="copy-transaction" label="Copy the transaction hash"></copy-button></dd></div>
</dl>
${returnUrl && html`<return-link class="return"><a class="button" href="${returnUrl}" data-part="return">Return to the shop</a><span data-part="return-note" class="return-note"></span><button type="button" data-part="stay" hidden>Stay here</button></return-link>`}
</section>`;
}

function choice(title: string, name: string, values: Iterable<string>, chosen: string): Html {
  const options = Array.from(values, (value) => [value, value] as const);
  return html`<fieldset><legend>${title}</legend>${segments(name, options, chosen)}</fieldset>`;
}

function choiceOf(priced: PricedToken) {
  const { token, chainId } = priced;
  const { symbol, contractAddress } = token;
  return { token: symbol, network: networkOf(priced), chainId, contractAddress };
}

function networkOf({ token, chainId }: PricedToken): string {
  return token.chain?.name ?? `Chain ${chainId}`;
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean).slice(0, 2);
  return words.map((word) => word.charAt(0).toUpperCase()).join("");
}

const plays = [
  ["success", "Pay exactly", "The payment completes."],
  ["underpayment", "Pay too little", "Nine tenths arrive. It fails."],
  ["overpayment", "Pay too much", "Eleven tenths arrive. It completes."],
  ["timeout", "Let it expire", "Nothing arrives in time."],
  ["late", "Pay late", "It expires, then the money arrives."],
] as const;

/** What the page shows, and the evidence that the service does the same; docs/sandbox.md has the same table. */
export const simulated: readonly (readonly [claim: string, evidence: Evidence])[] = [
  ["A payment has a page at /payment/{paymentId}.", "documented"],
  ["Too little fails, too much completes, nothing expires.", "published"],
  ["A price is valid for ten minutes.", "published"],
  ["Base Sepolia needs 10 confirmations.", "published"],
  ["A payment expires 15 minutes after its creation.", "assumed"],
  ["Money that arrives late still completes the payment.", "assumed"],
  ["The page's design, and the automatic return to the shop.", "assumed"],
];

/** The part of the page that the service does not have: the customer's wallet, as buttons. */
function sandboxStrip(payment: Payment, [next]: readonly UpcomingPaymentStep[]): Html {
  const path = `payments/${payment.id}`;
  const isOver = isFinal(payment.status);
  return html`<aside aria-labelledby="sandbox-title">
<h2 id="sandbox-title">Sandbox</h2>
<p>No real money moves here. Play the customer’s wallet:</p>
${paceChoice()}
<div data-live="next">${next && html`${commandButton({ name: "Next step", path: `${path}/step`, tone: "primary" })}<p class="effect" role="status" id="next">Next: ${stepText(next)}.</p>`}</div>
<ul class="plays" data-live="plays">${plays.map(
    ([scenario, name, effect]) =>
      html`<li>${commandButton({
        name,
        path: `${path}/simulate`,
        body: { scenario },
        isPlayed: true,
        isDisabled: next !== undefined || (isOver && !isPaymentPlayable(payment, scenario)),
        describedBy: `about-${scenario}`,
      })}<p class="effect" id="about-${scenario}">${effect}</p></li>`,
  )}</ul>
<p role="status" class="note" id="said"></p>
<details class="simulated"><summary>What is simulated here?</summary>
<ul>${simulated.map(([claim, evidence]) => html`<li>${evidenceBadge(evidence)} ${claim}</li>`)}</ul></details>
<p><a href="/_sandbox?about=${payment.id}">See it from the service’s side</a></p>
</aside>`;
}
