import type { Payment } from "../../wire/payment.ts";
import { isFinal } from "../../wire/payment-status.ts";
import { defaultToken, type PricedToken, pricedTokens } from "../service/tokens.ts";
import {
  beliefsList,
  dollars,
  type Html,
  html,
  paceChoice,
  paymentPageBeliefs,
} from "./components.ts";
import { pageAnswer } from "./page.ts";

const plays = [
  ["success", "Pay exactly", "The payment completes."],
  ["underpayment", "Pay too little", "Nine tenths arrive. It fails."],
  ["overpayment", "Pay too much", "Eleven tenths arrive. It completes."],
  ["timeout", "Let it expire", "Nothing arrives in time."],
  ["late", "Pay late", "It expires, then the money arrives."],
] as const;

/** The part of the payment page that the service does not have: a customer's wallet, as buttons. */
export function sandboxStrip({ id, status }: Payment): Html {
  const isDisabled = isFinal(status) && html`disabled`;
  return html`<sandbox-strip payment-id="${id}"><aside aria-labelledby="sandbox-title">
<h2 id="sandbox-title">Sandbox</h2>
<p>No real money moves here. Play the customer’s wallet:</p>
${paceChoice()}
<div data-part="under-way" hidden><button type="button" class="primary" data-part="step">Next step</button><p class="effect" role="status" data-part="next"></p></div>
<ul class="plays" data-part="plays">${plays.map(
    ([scenario, name, effect]) =>
      html`<li><button type="button" data-scenario="${scenario}" aria-describedby="about-${scenario}" ${isDisabled}>${name}</button><p class="effect" id="about-${scenario}">${effect}</p></li>`,
  )}</ul>
<p role="status" class="note" data-part="note"></p>
${beliefsList("How true is this page?", paymentPageBeliefs)}
<p><a href="/_sandbox?about=${id}">See it from the service’s side</a></p>
</aside></sandbox-strip>`;
}

interface PaymentPageOptions {
  readonly payment: Payment;
  /** The payment's own. */
  readonly secret: string;
  /** Where a customer who paid is sent, with what the merchant gave to come back. */
  readonly returnUrl: string | undefined;
}

/** The page that `paymentUrl` opens. The link carries no secret: the page does. */
export function paymentPage(options: PaymentPageOptions): Response {
  const { payment } = options;
  const { merchantShortName } = payment;
  const amount = payment.type === "deposit" ? "A deposit" : dollars(payment.amountInCents);
  return pageAnswer({
    title: `${amount} to ${merchantShortName}`,
    asset: "payment",
    body: html`<div class="layout">
<main>${checkout(options)}</main>
${sandboxStrip(payment)}
</div>`,
  });
}

/** What is shown under an id that no payment has. */
export function unknownPaymentPage(): Response {
  return pageAnswer({
    status: 404,
    title: "No such payment",
    asset: "payment",
    body: html`<div class="layout alone"><main><div class="card notice">
<h1>There is no such payment</h1>
<p>The link may be incomplete, or the sandbox was started anew since. Ask the shop for another link.</p>
</div></main></div>`,
  });
}

function checkout({ payment, secret, returnUrl }: PaymentPageOptions): Html {
  const { id, type, amountInCents, merchantShortName, orderId } = payment;
  const isDeposit = type === "deposit";
  return html`<settlekit-payment class="card" payment-id="${id}" secret="${secret}"
 tokens="${JSON.stringify(pricedTokens.map(choiceOf))}" aria-busy="true">
<header>
<p class="merchant"><span class="monogram" aria-hidden="true">${initials(merchantShortName)}</span>${merchantShortName}${orderId && html`<span class="order">Order <bdi>${orderId}</bdi></span>`}</p>
<h1 data-part="total">${isDeposit ? "Make a deposit" : dollars(amountInCents)}</h1>
<p class="status" role="status" data-part="status"><span class="dot" aria-hidden="true"></span><span data-part="status-text">Loading the payment…</span></p>
</header>
<ol class="steps" data-part="steps" aria-label="How far the payment has come"><li aria-current="step">Waiting</li><li>Confirming</li><li>Paid</li></ol>
<form data-part="deposit" class="deposit" ${!isDeposit && html`hidden`}>
<label for="deposit-amount">Amount in US dollars</label>
<div class="field"><span aria-hidden="true">$</span><input id="deposit-amount" name="amount" inputmode="decimal" autocomplete="off" value="25.00" required pattern="[0-9]{1,7}([.][0-9]{1,2})?"><button class="primary">Continue</button></div>
</form>
${howToPay()}
<section data-part="confirming" class="confirming" aria-label="Confirmation" hidden>
<p class="count" data-part="confirmations-text"></p>
<progress data-part="confirmations" aria-label="Confirmations by the network"></progress>
<p>The money is on its way. You may close this page: the shop learns of it all the same.</p>
</section>
${outcome(returnUrl)}
<noscript><p class="no-script">This page needs JavaScript to show what to pay.</p></noscript>
</settlekit-payment>`;
}

function howToPay(): Html {
  return html`<section data-part="pay" aria-label="How to pay" hidden>
<div class="choices">
${choice("Token", "token", [...new Set(pricedTokens.map(({ token }) => token.symbol))], defaultToken.token.symbol)}
${choice("Network", "network", [...new Set(pricedTokens.map(networkOf))], networkOf(defaultToken))}
</div>
<div class="transfer">
<div class="qr" role="img" aria-label="QR code of the deposit address" data-part="qr"></div>
<dl class="facts">
<div><dt>Send exactly</dt><dd><output data-part="amount" class="amount"></output><copy-button data-part="copy-amount" label="Copy the amount"></copy-button></dd></div>
<div><dt>To this address on <span data-part="network"></span></dt><dd><code data-part="address"></code><copy-button data-part="copy-address" label="Copy the address"></copy-button></dd></div>
</dl>
</div>
<div class="countdown"><p>This price holds for <span role="timer" data-part="remaining"></span></p><div class="track" aria-hidden="true"><span data-part="track"></span></div></div>
</section>`;
}

function outcome(returnUrl: string | undefined): Html {
  return html`<section data-part="outcome" class="outcome" aria-label="What became of it" hidden>
<div class="summary"><svg class="mark mark-good" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="m7.5 12.5 3 3 6-6.5"/></svg><svg class="mark mark-bad" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="m8.5 8.5 7 7m0-7-7 7"/></svg><p data-part="outcome-text"></p></div>
<dl class="facts" data-part="received" hidden>
<div><dt>Received</dt><dd><output data-part="received-amount" class="amount"></output></dd></div>
<div><dt>Transaction</dt><dd><code data-part="transaction"></code><copy-button data-part="copy-transaction" label="Copy the transaction's hash"></copy-button></dd></div>
</dl>
${returnUrl && html`<return-link class="return"><a class="button" href="${returnUrl}" data-part="return">Return to the shop</a><span data-part="return-note" class="return-note"></span><button type="button" data-part="stay" hidden>Stay here</button></return-link>`}
</section>`;
}

function choice(title: string, name: string, values: readonly string[], chosen: string): Html {
  return html`<fieldset><legend>${title}</legend><div class="segments">${values.map(
    (value) =>
      html`<label><input type="radio" name="${name}" value="${value}" autocomplete="off" ${value === chosen && html`checked`}><span>${value}</span></label>`,
  )}</div></fieldset>`;
}

/** What a token is chosen by, and what it is asked for with. */
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
