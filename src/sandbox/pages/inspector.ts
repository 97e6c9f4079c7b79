import type { Payment } from "../../wire/payment.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { Events } from "../events.ts";
import type { Sandbox } from "../sandbox.ts";
import { commandButton, type Html, html, paceChoice } from "./components.ts";
import { operationList } from "./entry.ts";
import { disorderPanel, faultPanel } from "./fault-panels.ts";
import { pageAnswer } from "./page.ts";
import { newPaymentForm, newWithdrawalForm, paymentCard } from "./payment-panel.ts";
import { filterLinks, filterOf, timelineList } from "./timeline.ts";
import { withdrawalCard } from "./withdrawal-panel.ts";

const leaps = [
  ["1m", "1 min"],
  ["15m", "15 min"],
  ["1h", "1 h"],
  ["1d", "1 day"],
] as const;

/** The sandbox's time, and buttons that move it. */
export function clockPanel(now: Date, isFrozen: boolean): Html {
  const iso = now.toISOString();
  return html`<div class="time" role="group" aria-label="Clock">
<p data-live="clock"><sandbox-clock id="now" now="${iso}" ${isFrozen && html`frozen`}>${iso.slice(0, 19).replace("T", " ")}</sandbox-clock> <span class="quiet" id="pace">UTC${isFrozen && ", stands still"}</span></p>
<div class="buttons">${leaps.map(([duration, name]) =>
    commandButton({
      name: `+${name}`,
      about: "on the clock",
      path: "clock/advance",
      body: { duration },
    }),
  )}</div>
</div>`;
}

interface InspectorOptions {
  readonly sandbox: Sandbox;
  /** Oldest first; the sandbox's own lists, which are not copied for each look at the page. */
  readonly payments: readonly Payment[];
  readonly withdrawals: readonly Withdrawal[];
  readonly events: Events;
  readonly isFrozen: boolean;
  /** Under which the page was asked for. */
  readonly url: URL;
}

const maxShown = 20;

/** Everything that happens in a sandbox, and buttons for what may. The page reloads its parts by itself. */
export function inspectorPage(options: InspectorOptions): Response {
  const { sandbox, isFrozen } = options;
  return pageAnswer({
    title: "settlekit sandbox",
    asset: "inspector",
    body: html`<header class="top">
<h1>settlekit <span>sandbox</span></h1>
${clockPanel(sandbox.clock.now(), isFrozen)}
<div class="buttons" role="group" aria-label="Everything in this sandbox"><button type="button" id="save">Save<span class="visually-hidden"> to a file</span></button><button type="button" id="load">Load<span class="visually-hidden"> from a file</span></button>${commandButton({ name: "Reset", about: "the sandbox", path: "reset", question: "Forget everything in this sandbox?", tone: "danger" })}</div>
</header>
<nav class="jump" aria-label="Parts of this page"><a href="#timeline-title">Timeline</a><a href="#payments-title">Payments</a><a href="#withdrawals-title">Withdrawals</a><a href="#faults-title">Faults</a><a href="#disorder-title">Webhooks going wrong</a><a href="#known-title">What is known</a></nav>
<p role="status" id="said" class="said-line"></p>
<p role="status" id="done" class="visually-hidden"></p>
<div class="columns">
${timelinePart(options)}
<div class="side">
${paymentsPart(options)}
${withdrawalsPart(options)}
${faultPanel(sandbox.faults)}
${disorderPanel(sandbox.webhooks.disorders())}
<section class="panel" aria-labelledby="known-title"><h2 id="known-title">What is known</h2>
<p class="quiet">The sandbox is what settlekit believes the service to be. Answers say on what evidence, in <code>X-Sandbox-Evidence</code>.</p>
<details class="beliefs"><summary>Every operation and its evidence</summary>${operationList()}</details></section>
</div>
</div>`,
  });
}

function timelinePart(options: InspectorOptions): Html {
  const { sandbox, events, url } = options;
  const entries = events.entries();
  const filter = filterOf(url);
  const list = timelineList({
    entries,
    filter,
    deliveries: sandbox.webhooks.deliveries(),
  });
  return html`<main aria-labelledby="timeline-title">
<div class="heading"><h2 id="timeline-title">Timeline</h2>${filterLinks(filter)}</div>
<ol class="timeline" data-live="timeline" aria-label="What happened, newest first">${list}</ol>
<div data-live="timeline-note">${entries.length === 0 ? nothingYet(url.origin) : list.text === "" ? nothingWanted : droppedNote(options)}</div>
</main>`;
}

function nothingYet(origin: string): Html {
  return html`<div class="empty" id="timeline-empty"><p><strong>Nothing has happened yet.</strong></p>
<p>Point your client at <code>${origin}</code> and create a payment, or play the shop with <em>New payment</em>.</p></div>`;
}

const nothingWanted = html`<p class="empty" id="timeline-empty">Nothing of the kind happened yet.</p>`;

/** Memory is bounded: what is missing is counted. */
function droppedNote({ sandbox }: InspectorOptions): Html | undefined {
  const { requests, deliveries, timelineEntries, idempotencyKeys } = sandbox.dropped();
  const counts = [
    [timelineEntries, "entries"],
    [requests, "requests’ details"],
    [deliveries, "webhooks"],
    [idempotencyKeys, "idempotency keys"],
  ] as const;
  const dropped = counts.filter(([count]) => count > 0);
  if (dropped.length === 0) return undefined;
  const text = dropped.map(([count, kind]) => `${count} older ${kind}`).join(", ");
  return html`<p class="quiet" id="timeline-dropped">Dropped to save memory: ${text}.</p>`;
}

function paymentsPart({ sandbox, payments }: InspectorOptions): Html {
  const nameOf = merchantNames(sandbox);
  const cards = payments
    .slice(-maxShown)
    .reverse()
    .map((payment) =>
      paymentCard({
        payment,
        upcoming: sandbox.payments.upcoming(payment.id),
        merchantName: nameOf(payment.merchantId),
      }),
    );
  return html`<section class="panel" aria-labelledby="payments-title"><h2 id="payments-title">Payments</h2>
${paceChoice()}
${newPaymentForm(sandbox.merchants)}
<ul class="cards" data-live="payments" aria-label="Payments, newest first">${cards}</ul>
<div data-live="payments-more">${more(payments.length)}</div></section>`;
}

function withdrawalsPart({ sandbox, withdrawals }: InspectorOptions): Html {
  const nameOf = merchantNames(sandbox);
  const cards = withdrawals
    .slice(-maxShown)
    .reverse()
    .map((withdrawal) =>
      withdrawalCard({
        withdrawal,
        upcoming: sandbox.withdrawals.upcoming(withdrawal.id),
        merchantName: nameOf(withdrawal.merchantId),
      }),
    );
  return html`<section class="panel" aria-labelledby="withdrawals-title"><h2 id="withdrawals-title">Withdrawals</h2>
${newWithdrawalForm(sandbox.merchants)}
<ul class="cards" data-live="withdrawals" aria-label="Withdrawals, newest first">${cards}</ul>
<div data-live="withdrawals-more">${more(withdrawals.length)}</div></section>`;
}

function more(count: number): Html | false {
  return (
    count > maxShown && html`<p class="quiet">${count - maxShown} older ones are not shown.</p>`
  );
}

/** One merchant needs no name. */
function merchantNames({ merchants }: Sandbox): (merchantId: string) => string | undefined {
  if (merchants.length < 2) return () => undefined;
  const names = new Map(merchants.map(({ merchantId, name }) => [merchantId, name]));
  return (merchantId) => names.get(merchantId);
}
