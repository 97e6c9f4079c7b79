import type { SandboxMerchant } from "../../records/merchants.ts";
import { jsonChoice } from "../form-parts.ts";
import { type Html, html } from "../html.ts";

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
