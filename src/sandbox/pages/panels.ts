import { html } from "hono/html";
import type { Payment } from "../../wire/payment.ts";
import { webhookEventNames } from "../../wire/webhook-event.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { Fault, Frequency } from "../faults/fault.ts";
import type { Sandbox } from "../sandbox.ts";
import { paymentOutcomes } from "../service/payment-scenarios.ts";
import { withdrawalOutcomes } from "../service/withdrawal-scenarios.ts";
import {
  type Disorder,
  type DisorderKind,
  disorderKinds,
  disorderOf,
} from "../webhooks/disorder.ts";
import {
  badge,
  type Choice,
  commandButton,
  dollars,
  faultText,
  type Html,
  jsonChoice,
  nameOf,
  type PagesOptions,
  primary,
  statusBadge,
  stepText,
} from "./components.ts";

const maxShown = 20;

/** The newest payments or withdrawals, below a form to create one. */
export function recordsPanel(options: PagesOptions, kind: "payments" | "withdrawals"): Html {
  const { sandbox } = options;
  const [title, noun, fields] =
    kind === "payments"
      ? ["Payments", "payment", paymentFields]
      : ["Withdrawals", "withdrawal", withdrawalFields];
  const records: readonly (Payment | Withdrawal)[] = options[kind].all();
  const cards = records.slice(-maxShown).map((record) => recordCard(record, sandbox));
  const older = records.length - maxShown;
  return html`<section class="panel" aria-labelledby="${kind}-title"><h2 id="${kind}-title">${title}</h2>
${creationForm(noun, fields, sandbox)}
<ul class="cards" data-live="${kind}" aria-label="${title}, newest first">${cards.reverse()}</ul>
<div data-live="${kind}-more">${older > 0 && html`<p class="quiet">${older} older ones are not shown.</p>`}</div></section>`;
}

function recordCard(record: Payment | Withdrawal, sandbox: Sandbox): Html {
  const { merchants } = sandbox;
  const { id, amountInCents, orderId, status, merchantId } = record;
  const isPayment = "quotes" in record;
  const [kind, noun, outcomes, facts] = isPayment
    ? (["payments", "order", paymentOutcomes, confirmations(record)] as const)
    : (["withdrawals", "withdrawal", withdrawalOutcomes, recipient(record)] as const);
  const path = `${kind}/${id}`;
  const about = `${noun} ${orderId ?? id}`;
  const merchant = merchants.length > 1 && merchants.find((it) => it.merchantId === merchantId);
  const playable = Object.entries(outcomes).filter(([, { from }]) => from.includes(status));
  const [next] = sandbox[kind].upcoming(id);
  const buttons = next
    ? html`${commandButton("Next step", `${path}/step`, { about, attributes: primary })}<span class="quiet">${stepText(next)}</span>`
    : playable.map(([scenario]) =>
        commandButton(nameOf(scenario), `${path}/simulate`, { about, body: { scenario } }),
      );
  return html`<li id="${path.replace("s/", "-")}" class="small-card">
<p class="head"><strong>${amountInCents === 0 ? "Deposit" : dollars(amountInCents)}</strong> <bdi>${orderId}</bdi>${statusBadge(status)}</p>
${merchant && html`<p class="quiet">${merchant.name}</p>`}
${facts}
${(next || playable.length > 0) && html`<div class="buttons">${buttons}</div>`}
<p class="links">${isPayment && html`<a href="/payment/${id}">Payment page<span class="visually-hidden"> of ${about}</span></a>`}<a href="/_sandbox?about=${id}">Timeline<span class="visually-hidden"> of ${about}</span></a></p>
</li>`;
}

function recipient({ recipientAddress, errorMessage }: Withdrawal): Html {
  return html`<p class="quiet"><span class="visually-hidden">To </span><code>${recipientAddress}</code></p>${errorMessage && html`<p class="quiet">${errorMessage}</p>`}`;
}

function confirmations({ status, receipt }: Payment): Html | undefined {
  const { confirmations: seen, requiredConfirmations: needed } = receipt ?? {};
  if (status !== "processing" || seen == null || needed == null) return undefined;
  return html`<div class="confirmations"><progress max="${needed}" value="${seen}" aria-label="Confirmations"></progress><span class="quiet">${seen} of ${needed} confirmations</span></div>`;
}

function creationForm(noun: string, fields: Html, { merchants }: Sandbox): Html {
  const names = merchants.map(({ name, merchantId }) => [name, merchantId] as const);
  return html`<details class="form"><summary>New ${noun}</summary>
<form data-post="${noun}s">
<div data-live="${noun}-merchants">${merchants.length > 1 && jsonChoice("Merchant", "merchantId", names)}</div>
${fields}
<div class="buttons"><button class="primary">Create ${noun}</button></div>
</form></details>`;
}

const paymentFields = html`${jsonChoice("Type", "type", [
  ["Payment", "payment"],
  ["Deposit", "deposit"],
])}
${dollarField("amount", "25.00")}
<label>Order ID<input name="orderId" data-as="text" value="order_1" required maxlength="255" autocomplete="off"></label>`;

/** An address with a valid checksum. */
const exampleRecipient = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

const withdrawalFields = html`<input type="hidden" name="chainId" data-as="json" value="84532">
${dollarField("amountInCents", "125.00")}
<label>Recipient address on Base Sepolia<input class="address" name="recipientAddress" data-as="text" value="${exampleRecipient}" required autocomplete="off" spellcheck="false"></label>
<label>Order ID<input name="orderId" data-as="text" value="payout_1" maxlength="255" autocomplete="off"></label>`;

function dollarField(name: string, value: string): Html {
  return html`<label>Amount in US dollars<input name="${name}" data-as="cents" inputmode="decimal" value="${value}" required pattern="[0-9]{1,7}([.][0-9]{1,2})?" autocomplete="off"></label>`;
}

const offeredRoutes: readonly Choice[] = [
  ["any request", "*"],
  "POST /payments",
  "GET /payments",
  "POST /withdrawals",
  "GET /withdrawals",
];

/** The control API accepts every other fault, too. */
const offeredFaults: readonly Fault[] = [
  { status: 503, when: "before" },
  { status: 503, when: "after" },
  { status: 429, when: "before", retryAfter: 2 },
  { connection: "reset", when: "before" },
  { connection: "reset", when: "after" },
  { connection: "truncated" },
  { latencyMs: 2_000, when: "after" },
];

/** The value's fields become fields of the request. */
const frequencies: readonly Choice[] = [
  ["once", { times: 1 }],
  ["3 times", { times: 3 }],
  ["always", { times: "always" }],
  ["half the time", { probability: 0.5 }],
  ["one time in ten", { probability: 0.1 }],
];

/** A disorder in words that follow "arrives", such as `60 s late`. */
function disorderText({ kind, byMs }: Disorder): string {
  const by = byMs % 60_000 === 0 ? `${byMs / 60_000} min` : `${byMs / 1_000} s`;
  const texts: Readonly<Record<DisorderKind, string>> = {
    duplicate: "twice",
    reorder: `after the next one, or ${by} late`,
    delay: `${by} late`,
    tamper: "tampered with",
    "stale-timestamp": `with a timestamp ${by} old`,
    "wrong-secret": "signed with another secret",
  };
  return texts[kind];
}

const disorders = disorderKinds.map((kind) => [disorderText(disorderOf(kind)), kind] as const);

export function faultPanel({ faults }: Sandbox): Html {
  const limit = faults.limit();
  const limitText = `429 above ${limit?.requestsPerSecond} requests per second, Retry-After: ${limit?.retryAfterSeconds}`;
  const cards = faults
    .waiting()
    .map(({ route, fault, ...often }, index) =>
      card(`fault-${index}`, route, "bad", often, faultText(fault)),
    );
  return html`<section class="panel" aria-labelledby="faults-title"><h2 id="faults-title">Faults</h2>
<details class="form"><summary>Add a fault</summary>
<form data-post="faults">
${jsonChoice("Request", "route", offeredRoutes)}
${jsonChoice(
  "Fault",
  "fault",
  offeredFaults.map((fault) => [faultText(fault), fault]),
)}
${jsonChoice("How often", "...often", frequencies)}
<div class="buttons"><button class="primary">Add fault</button>${commandButton("Clear all", "faults/clear", { about: "faults" })}</div>
</form></details>
<ul class="cards" data-live="faults" aria-label="Pending faults">${limit && card("rate-limit", "*", "bad", { times: Number.POSITIVE_INFINITY }, limitText)}${cards}</ul></section>`;
}

export function disorderPanel({ webhooks }: Sandbox): Html {
  const cards = webhooks.disorders().map((waiting, index) => {
    const text = `arrives ${disorderText(waiting)}`;
    return card(`disorder-${index}`, waiting.event ?? "any event", "warn", waiting, text);
  });
  return html`<section class="panel" aria-labelledby="disorder-title"><h2 id="disorder-title">Webhook disorder</h2>
<details class="form"><summary>Add disorder</summary>
<form data-post="disorders">
${jsonChoice("The next webhook arrives", "kind", disorders)}
${jsonChoice("Event", "event", [["any event", undefined], ...webhookEventNames])}
${jsonChoice("How often", "...often", frequencies)}
<div class="buttons"><button class="primary">Add disorder</button>${commandButton("Clear all", "disorders/clear", { about: "disorder" })}</div>
</form></details>
<ul class="cards" data-live="disorders" aria-label="Pending disorder">${cards}</ul></section>`;
}

function card(id: string, subject: string, tone: "bad" | "warn", often: Frequency, text: string) {
  return html`<li id="${id}" class="small-card"><p class="head"><code>${subject === "*" ? "any request" : subject}</code>${badge(tone, frequencyText(often))}</p><p class="quiet">${text}</p></li>`;
}

/** How many more times something will happen. */
function frequencyText({ times = 1, probability = 1 }: Frequency): string {
  const count = Number.isFinite(times) ? `${times} more` : "always";
  if (probability === 1) return count;
  const share = `${Math.round(probability * 1000) / 10}%`;
  return Number.isFinite(times) ? `${count}, ${share}` : share;
}

export function redeliveryButtons(deliveryId: string): Html {
  const path = `deliveries/${deliveryId}/replay`;
  return html`<div class="buttons" role="group" aria-label="Send again">${commandButton("Send again", path, { attributes: primary })}${disorders.map(
    ([text, disorder]) => commandButton(text, path, { about: "again", body: { disorder } }),
  )}</div>`;
}
