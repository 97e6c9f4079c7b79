import type { Payment } from "../../wire/payment.ts";
import type { SandboxMerchant } from "../service/merchants.ts";
import type { UpcomingPaymentStep } from "../service/payment-scenarios.ts";
import { isPlayable } from "../service/payment-steps.ts";
import {
  commandButton,
  dollars,
  type Html,
  html,
  jsonChoice,
  statusBadge,
  stepButton,
} from "./components.ts";

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

/** An address that passes its checksum, to be sent to. */
const someRecipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const kinds = [
  ["a payment", "payment"],
  ["a deposit", "deposit"],
] as const;

/** Creates payments as the merchant would, for those who have no shop at hand. */
export function newPaymentForm(merchants: readonly SandboxMerchant[]): Html {
  return html`<details class="form"><summary>New payment</summary>
<form data-post="payments">
${merchantChoice(merchants)}
${jsonChoice("Kind", "type", kinds)}
<label>Amount in US dollars<input name="amount" data-as="cents" inputmode="decimal" value="25.00" required pattern="[0-9]{1,7}([.][0-9]{1,2})?" autocomplete="off"></label>
<label>Order<input name="orderId" data-as="text" value="order_1" required maxlength="255" autocomplete="off"></label>
<div class="buttons"><button class="primary">Create payment</button></div>
</form></details>`;
}

/** The same for withdrawals. */
export function newWithdrawalForm(merchants: readonly SandboxMerchant[]): Html {
  return html`<details class="form"><summary>New withdrawal</summary>
<form data-post="withdrawals">
${merchantChoice(merchants)}
<input type="hidden" name="chainId" data-as="json" value="84532">
<label>Amount in US dollars<input name="amountInCents" data-as="cents" inputmode="decimal" value="125.00" required pattern="[0-9]{1,7}([.][0-9]{1,2})?" autocomplete="off"></label>
<label>To an address on Base Sepolia<input name="recipientAddress" data-as="text" value="${someRecipient}" required autocomplete="off" spellcheck="false"></label>
<label>Order<input name="orderId" data-as="text" value="payout_1" maxlength="255" autocomplete="off"></label>
<div class="buttons"><button class="primary">Create withdrawal</button></div>
</form></details>`;
}

function merchantChoice(merchants: readonly SandboxMerchant[]): Html | undefined {
  if (merchants.length < 2) return undefined;
  const options = merchants.map(({ name, merchantId }) => [name, merchantId] as const);
  return jsonChoice("Merchant", "merchantId", options);
}
