import type { Payment } from "../../wire/payment.ts";
import { isFinal } from "../../wire/payment-status.ts";
import { defaultToken, type PricedToken, pricedTokens } from "../tokens.ts";
import { dollars } from "./dollars.ts";
import { type Html, html } from "./html.ts";
import { pageAnswer } from "./page-answer.ts";

/** The page that `paymentUrl` opens. The link carries no secret: the page does. */
export function paymentPage(payment: Payment, secret: string): Response {
  const { merchantShortName } = payment;
  const amount = payment.type === "deposit" ? "A deposit" : dollars(payment.amountInCents);
  return pageAnswer({
    title: `${amount} to ${merchantShortName}`,
    asset: "payment",
    body: html`<div class="layout">
<main>${checkout(payment, secret)}</main>
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

function checkout(payment: Payment, secret: string): Html {
  const { id, type, amountInCents, merchantShortName, orderId, redirectUrl } = payment;
  const isDeposit = type === "deposit";
  return html`<settlekit-payment class="card" payment-id="${id}" secret="${secret}"
 tokens="${JSON.stringify(pricedTokens.map(choiceOf))}" aria-busy="true">
<header>
<p class="merchant"><span class="monogram" aria-hidden="true">${initials(merchantShortName)}</span>${merchantShortName}</p>
<h1 data-part="total">${isDeposit ? "Make a deposit" : dollars(amountInCents)}</h1>
${orderId && html`<p class="order">Order <bdi>${orderId}</bdi></p>`}
</header>
<p class="status" role="status" data-part="status"><span class="dot" aria-hidden="true"></span><span data-part="status-text">Loading the payment…</span></p>
<form data-part="deposit" class="deposit" ${isDeposit ? html`` : html`hidden`}>
<label for="deposit-amount">Amount in US dollars</label>
<div class="field"><span aria-hidden="true">$</span><input id="deposit-amount" name="amount" inputmode="decimal" autocomplete="off" value="25.00" required pattern="[0-9]{1,7}([.][0-9]{1,2})?"><button>Continue</button></div>
</form>
<section data-part="pay" class="pay" aria-label="How to pay" hidden>
<div class="choices">
${choice("Token", "token", [...new Set(pricedTokens.map(({ token }) => token.symbol))], defaultToken.token.symbol)}
${choice("Network", "network", [...new Set(pricedTokens.map(networkOf))], networkOf(defaultToken))}
</div>
<div class="transfer">
<div class="qr" role="img" aria-label="QR code of the deposit address" data-part="qr"></div>
<dl>
<div><dt>Send exactly</dt><dd><output data-part="amount" class="amount"></output><copy-button data-part="copy-amount" label="Copy the amount"></copy-button></dd></div>
<div><dt>To this address on <span data-part="network"></span></dt><dd><code data-part="address"></code><copy-button data-part="copy-address" label="Copy the address"></copy-button></dd></div>
</dl>
</div>
<div class="countdown"><div class="track" aria-hidden="true"><div data-part="track"></div></div><p>This price holds for <span role="timer" data-part="remaining"></span></p></div>
</section>
<section data-part="outcome" class="outcome" hidden>
<p data-part="outcome-text"></p>
${redirectUrl && html`<p class="return"><a class="button" href="${redirectUrl}" data-part="return">Return to the shop</a></p>`}
</section>
<noscript><p class="no-script">This page needs JavaScript to show what to pay.</p></noscript>
</settlekit-payment>`;
}

function choice(title: string, name: string, values: readonly string[], chosen: string): Html {
  return html`<fieldset><legend>${title}</legend><div class="segments">${values.map(
    (value) =>
      html`<label><input type="radio" name="${name}" value="${value}" ${value === chosen ? html`checked` : html``}><span>${value}</span></label>`,
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

const scenarios = [
  ["success", "Pay exactly", "The payment completes."],
  ["underpayment", "Pay too little", "Nine tenths arrive. It fails."],
  ["overpayment", "Pay too much", "Eleven tenths arrive. It completes."],
  ["timeout", "Let it expire", "Nothing arrives in time."],
] as const;

/** The part of the page that the service does not have: a customer's wallet, as buttons. */
function sandboxStrip({ id, status }: Payment): Html {
  return html`<sandbox-strip payment-id="${id}"><aside aria-labelledby="sandbox-title">
<h2 id="sandbox-title">Sandbox</h2>
<p>No real money moves here. Play the customer’s wallet:</p>
<ul>${scenarios.map(
    ([scenario, name, effect]) =>
      html`<li><button type="button" data-scenario="${scenario}" aria-describedby="about-${scenario}" ${isFinal(status) ? html`disabled` : html``}>${name}</button><p class="effect" id="about-${scenario}">${effect}</p></li>`,
  )}</ul>
<p role="status" class="note" data-part="note"></p>
<p><a href="/_sandbox">See it from the service’s side</a></p>
</aside></sandbox-strip>`;
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean).slice(0, 2);
  return words.map((word) => word.charAt(0).toUpperCase()).join("");
}
