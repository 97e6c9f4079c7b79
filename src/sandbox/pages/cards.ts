import { html } from "hono/html";
import type { Payment } from "../../wire/payment.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { Sandbox } from "../sandbox.ts";
import { isPaymentPlayable } from "../service/payment-scenarios.ts";
import { isWithdrawalPlayable } from "../service/withdrawal-scenarios.ts";
import {
  commandButton,
  dollars,
  type Html,
  jsonChoice,
  paceChoice,
  statusBadge,
  stepText,
} from "./components.ts";

const maxShown = 20;

const paymentPlays = [
  ["success", "Pay exactly"],
  ["underpayment", "Too little"],
  ["overpayment", "Too much"],
  ["late", "Late"],
  ["timeout", "Expire"],
] as const;

const withdrawalPlays = [
  ["process", "Process"],
  ["complete", "Complete"],
  ["fail", "Fail"],
  ["cancel", "Cancel"],
] as const;

export function paymentsPanel(sandbox: Sandbox, payments: readonly Payment[]): Html {
  const cards = newest(payments).map((payment) => {
    const { id, type, amountInCents, orderId } = payment;
    const isUnknown = type === "deposit" && amountInCents === 0;
    const about = `order ${orderId ?? id}`;
    return card(sandbox, payment, {
      path: `payments/${id}`,
      about,
      amount: isUnknown ? "Deposit" : dollars(amountInCents),
      facts: confirmations(payment),
      next: sandbox.payments.upcoming(id)[0],
      plays: paymentPlays.filter(([scenario]) => isPaymentPlayable(payment, scenario)),
      link: html`<a href="/payment/${id}">Payment page<span class="visually-hidden"> of ${about}</span></a>`,
    });
  });
  return html`<section class="panel" aria-labelledby="payments-title"><h2 id="payments-title">Payments</h2>
${paceChoice()}
${newPaymentForm(sandbox)}
<ul class="cards" data-live="payments" aria-label="Payments, newest first">${cards}</ul>
<div data-live="payments-more">${more(payments.length)}</div></section>`;
}

export function withdrawalsPanel(sandbox: Sandbox, withdrawals: readonly Withdrawal[]): Html {
  const cards = newest(withdrawals).map((withdrawal) => {
    const { id, amountInCents, orderId, recipientAddress, errorMessage } = withdrawal;
    return card(sandbox, withdrawal, {
      path: `withdrawals/${id}`,
      about: `withdrawal ${orderId ?? id}`,
      amount: dollars(amountInCents),
      facts: html`<p class="quiet"><span class="visually-hidden">To </span><code>${recipientAddress}</code></p>${errorMessage && html`<p class="quiet">${errorMessage}</p>`}`,
      next: sandbox.withdrawals.upcoming(id)[0],
      plays: withdrawalPlays.filter(([scenario]) => isWithdrawalPlayable(withdrawal, scenario)),
    });
  });
  return html`<section class="panel" aria-labelledby="withdrawals-title"><h2 id="withdrawals-title">Withdrawals</h2>
${newWithdrawalForm(sandbox)}
<ul class="cards" data-live="withdrawals" aria-label="Withdrawals, newest first">${cards}</ul>
<div data-live="withdrawals-more">${more(withdrawals.length)}</div></section>`;
}

function newest<Value>(values: readonly Value[]): Value[] {
  return values.slice(-maxShown).reverse();
}

function more(count: number): Html | false {
  return (
    count > maxShown && html`<p class="quiet">${count - maxShown} older ones are not shown.</p>`
  );
}

interface Card {
  /** In the control API. */
  readonly path: string;
  /** Names the payment or withdrawal in the buttons, for screen readers. */
  readonly about: string;
  readonly amount: string;
  readonly facts: Html | undefined;
  readonly next: Parameters<typeof stepText>[0] | undefined;
  readonly plays: readonly (readonly [scenario: string, name: string])[];
  readonly link?: Html;
}

function card(sandbox: Sandbox, record: Payment | Withdrawal, options: Card): Html {
  const { path, about, amount, facts, next, plays, link } = options;
  const { id, orderId, status, merchantId } = record;
  const buttons = next
    ? html`${commandButton({ name: "Next step", about, path: `${path}/step`, tone: "primary" })}<span class="quiet">${stepText(next)}</span>`
    : plays.map(([scenario, name]) =>
        commandButton({
          name,
          about,
          path: `${path}/simulate`,
          body: { scenario },
          isPlayed: true,
        }),
      );
  return html`<li id="${path.replace("s/", "-")}" class="small-card">
<p class="head"><strong>${amount}</strong> <bdi>${orderId}</bdi>${statusBadge(status)}</p>
${sandbox.merchants.length > 1 && html`<p class="quiet">${sandbox.merchants.find((it) => it.merchantId === merchantId)?.name}</p>`}
${facts}
${(next || plays.length > 0) && html`<div class="buttons">${buttons}</div>`}
<p class="links">${link}<a href="/_sandbox?about=${id}">Its timeline<span class="visually-hidden"> of ${about}</span></a></p>
</li>`;
}

function confirmations({ status, receipt }: Payment): Html | undefined {
  const { confirmations: seen, requiredConfirmations: needed } = receipt ?? {};
  if (status !== "processing" || typeof seen !== "number" || typeof needed !== "number") {
    return undefined;
  }
  return html`<div class="confirmations"><progress max="${needed}" value="${seen}" aria-label="Confirmations"></progress><span class="quiet">${seen} of ${needed} confirmations</span></div>`;
}

/** An address with a valid checksum. */
const exampleRecipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const paymentTypes = [
  ["a payment", "payment"],
  ["a deposit", "deposit"],
] as const;

function newPaymentForm(sandbox: Sandbox): Html {
  return html`<details class="form"><summary>New payment</summary>
<form data-post="payments">
${merchantChoice(sandbox)}
${jsonChoice("Kind", "type", paymentTypes)}
<label>Amount in US dollars<input name="amount" data-as="cents" inputmode="decimal" value="25.00" required pattern="[0-9]{1,7}([.][0-9]{1,2})?" autocomplete="off"></label>
<label>Order<input name="orderId" data-as="text" value="order_1" required maxlength="255" autocomplete="off"></label>
<div class="buttons"><button class="primary">Create payment</button></div>
</form></details>`;
}

function newWithdrawalForm(sandbox: Sandbox): Html {
  return html`<details class="form"><summary>New withdrawal</summary>
<form data-post="withdrawals">
${merchantChoice(sandbox)}
<input type="hidden" name="chainId" data-as="json" value="84532">
<label>Amount in US dollars<input name="amountInCents" data-as="cents" inputmode="decimal" value="125.00" required pattern="[0-9]{1,7}([.][0-9]{1,2})?" autocomplete="off"></label>
<label>To an address on Base Sepolia<input name="recipientAddress" data-as="text" value="${exampleRecipient}" required autocomplete="off" spellcheck="false"></label>
<label>Order<input name="orderId" data-as="text" value="payout_1" maxlength="255" autocomplete="off"></label>
<div class="buttons"><button class="primary">Create withdrawal</button></div>
</form></details>`;
}

function merchantChoice({ merchants }: Sandbox): Html | undefined {
  if (merchants.length < 2) return undefined;
  const options = merchants.map(({ name, merchantId }) => [name, merchantId] as const);
  return jsonChoice("Merchant", "merchantId", options);
}
