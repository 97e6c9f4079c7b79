import type { Payment } from "../../wire/payment.ts";
import { isFinal } from "../../wire/payment-status.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { Controlled } from "../control/control-routes.ts";
import type { Fault } from "../fault.ts";
import type { WaitingFault } from "../faults.ts";
import type { Timeline } from "../timeline.ts";
import { dollars } from "./dollars.ts";
import { type Html, html } from "./html.ts";
import { pageAnswer } from "./page-answer.ts";
import { statusBadge, timelineList } from "./timeline-list.ts";

export interface InspectorOptions {
  readonly sandbox: Controlled;
  /** Oldest first; the sandbox's own lists, which are not copied for each look at the page. */
  readonly payments: readonly Payment[];
  readonly withdrawals: readonly Withdrawal[];
  readonly timeline: Timeline;
  readonly isFrozen: boolean;
  readonly origin: string;
}

const maxShown = 20;

/** Everything that happens in a sandbox, and buttons for what may. The page reloads its parts by itself. */
export function inspectorPage(options: InspectorOptions): Response {
  const { sandbox, payments, withdrawals, timeline, isFrozen, origin } = options;
  const entries = timeline.entries();
  const dropped = timeline.dropped();
  const parts = {
    entries,
    origin,
    requests: sandbox.requests(),
    deliveries: sandbox.webhooks.deliveries(),
  };
  return pageAnswer({
    title: "settlekit sandbox",
    asset: "inspector",
    body: html`<header class="top">
<h1>settlekit <span>sandbox</span></h1>
${clock(sandbox.clock.now(), isFrozen)}
</header>
<nav class="jump" aria-label="Parts of this page"><a href="#timeline-title">Timeline</a><a href="#payments-title">Payments</a><a href="#withdrawals-title">Withdrawals</a><a href="#faults-title">Faults</a></nav>
<p role="status" id="said" class="said-line"></p>
<div class="columns">
<main aria-labelledby="timeline-title">
<h2 id="timeline-title">Timeline</h2>
<ol class="timeline" data-live="timeline" aria-label="What happened, newest first">${timelineList(parts)}</ol>
<p class="quiet" data-live="timeline-note" id="timeline-note">${entries.length === 0 ? html`Nothing has happened yet. Point your client at <code>${origin}</code> and create a payment.` : dropped > 0 && `${dropped} older entries were dropped.`}</p>
</main>
<div class="side">
<section aria-labelledby="payments-title"><h2 id="payments-title">Payments</h2>
<ul class="cards" data-live="payments" aria-label="Payments, newest first">${payments.slice(-maxShown).reverse().map(paymentCard)}</ul></section>
<section aria-labelledby="withdrawals-title"><h2 id="withdrawals-title">Withdrawals</h2>
<ul class="cards" data-live="withdrawals" aria-label="Withdrawals, newest first">${withdrawals.slice(-maxShown).reverse().map(withdrawalCard)}</ul></section>
<section aria-labelledby="faults-title"><h2 id="faults-title">Faults</h2>${faultForm()}
<ul class="cards" data-live="faults" aria-label="Waiting faults">${sandbox.faults.waiting().map(faultCard)}</ul></section>
</div>
</div>`,
  });
}

function clock(now: Date, isFrozen: boolean): Html {
  const steps = [
    ["1m", "1 min"],
    ["10m", "10 min"],
    ["1h", "1 h"],
    ["1d", "1 day"],
  ];
  const iso = now.toISOString();
  return html`<div class="clock" role="group" aria-label="Clock">
<p data-live="clock"><sandbox-clock id="now" now="${iso}" ${isFrozen ? html`frozen` : html``}>${iso.slice(0, 19).replace("T", " ")}</sandbox-clock> <span class="quiet" id="pace">UTC${isFrozen && ", stands still"}</span></p>
<div class="buttons">${steps.map(
    ([duration, name]) =>
      html`<button type="button" data-post="clock/advance" data-body="${JSON.stringify({ duration })}"><span class="visually-hidden">Advance the clock by</span> +${name}</button>`,
  )}<button type="button" class="danger" data-post="reset" data-confirm="Forget everything in this sandbox?">Reset</button></div>
</div>`;
}

interface Button {
  readonly path: string;
  readonly scenario: string;
  readonly name: string;
  readonly about: string;
}

function scenarioButton({ path, scenario, name, about }: Button): Html {
  return html`<button type="button" id="${path}-${scenario}" data-post="${path}" data-body="${JSON.stringify({ scenario })}">${name}<span class="visually-hidden"> ${about}</span></button>`;
}

const customerScenarios = [
  ["success", "Pay exactly"],
  ["underpayment", "Too little"],
  ["overpayment", "Too much"],
  ["timeout", "Expire"],
] as const;

function paymentCard({ id, type, amountInCents, status, orderId }: Payment): Html {
  const isUnknown = type === "deposit" && amountInCents === 0;
  const path = `payments/${id}/simulate`;
  const about = `order ${orderId ?? id}`;
  return html`<li id="payment-${id}" class="small-card">
<p class="head"><strong>${isUnknown ? "Deposit" : dollars(amountInCents)}</strong> <bdi>${orderId}</bdi>${statusBadge(status)}</p>
${!isFinal(status) && html`<div class="buttons">${customerScenarios.map(([scenario, name]) => scenarioButton({ path, scenario, name, about }))}</div>`}
<p><a href="/payment/${id}">Payment page<span class="visually-hidden"> of ${about}</span></a></p>
</li>`;
}

const withdrawalScenarios = [
  ["process", "Process", ["pending"]],
  ["complete", "Complete", ["pending", "processing"]],
  ["fail", "Fail", ["pending", "processing"]],
  ["cancel", "Cancel", ["pending"]],
] as const;

function withdrawalCard({
  id,
  amountInCents,
  status,
  orderId,
  recipientAddress,
}: Withdrawal): Html {
  const path = `withdrawals/${id}/simulate`;
  const about = `withdrawal ${orderId ?? id}`;
  const possible = withdrawalScenarios.filter(([, , from]) => from.some((it) => it === status));
  return html`<li id="withdrawal-${id}" class="small-card">
<p class="head"><strong>${dollars(amountInCents)}</strong> <bdi>${orderId}</bdi>${statusBadge(status)}</p>
<p class="quiet"><code>${recipientAddress}</code></p>
${possible.length > 0 && html`<div class="buttons">${possible.map(([scenario, name]) => scenarioButton({ path, scenario, name, about }))}</div>`}
</li>`;
}

/** What the form offers; the control API takes any other fault too. */
const offered: readonly (readonly [name: string, fault: Fault])[] = [
  ["503, before any effect", { status: 503, when: "before" }],
  ["503, but it took effect", { status: 503, when: "after" }],
  ["429, come back in 2 s", { status: 429, when: "before", retryAfter: 2 }],
  ["connection reset, before any effect", { connection: "reset", when: "before" }],
  ["connection reset, but it took effect", { connection: "reset", when: "after" }],
  ["half an answer", { connection: "truncated" }],
  ["2 seconds late", { latencyMs: 2_000, when: "after" }],
];

const offeredRoutes = [
  "*",
  "POST /payments",
  "GET /payments",
  "POST /withdrawals",
  "GET /withdrawals",
];

function faultForm(): Html {
  return html`<form class="fault-form" data-post="faults">
<label>Requests<select name="route">${offeredRoutes.map((route) => html`<option value="${route}">${route === "*" ? "any" : route}</option>`)}</select></label>
<label>What goes wrong<select name="fault">${offered.map(([name, fault]) => html`<option value="${JSON.stringify(fault)}">${name}</option>`)}</select></label>
<label>How often<select name="times"><option value="1">once</option><option value="3">3 times</option><option value="&quot;always&quot;">always</option></select></label>
<div class="buttons"><button class="primary">Add fault</button><button type="button" data-post="faults/clear">Clear all</button></div>
</form>`;
}

function faultCard({ route, fault, times }: WaitingFault, index: number): Html {
  const often = Number.isFinite(times) ? `${times} more` : "always";
  return html`<li id="fault-${index}" class="small-card"><p class="head"><code>${route}</code><span class="badge bad">${often}</span></p><p class="quiet">${faultText(fault)}</p></li>`;
}

function faultText(fault: Fault): string {
  if ("status" in fault) return `answers ${fault.status} ${fault.when} the effect`;
  if ("latencyMs" in fault) return `${fault.latencyMs} ms late, ${fault.when} the effect`;
  if (fault.connection === "truncated") return "half an answer";
  return fault.when === "mid-answer" ? "reset in the answer" : `reset ${fault.when} the effect`;
}
