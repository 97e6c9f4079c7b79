import { isFinal, type Payment } from "../../wire/payment.ts";

import { beliefsList, paymentPageBeliefs } from "./beliefs.ts";
import { type Html, html } from "./html.ts";
import { paceChoice } from "./pace-choice.ts";

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
