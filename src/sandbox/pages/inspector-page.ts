import type { Payment } from "../../wire/payment.ts";
import type { Withdrawal } from "../../wire/withdrawal.ts";
import type { Controlled } from "../control/control-routes.ts";
import type { Timeline } from "../timeline.ts";
import { clockPanel } from "./clock-panel.ts";
import { commandButton } from "./command-button.ts";
import { faultPanel } from "./fault-panel.ts";
import { type Html, html } from "./html.ts";
import { operationList } from "./known-operations.ts";
import { paceChoice } from "./pace-choice.ts";
import { pageAnswer } from "./page-answer.ts";
import { paymentCard } from "./payment-cards.ts";
import { newPaymentForm, newWithdrawalForm } from "./shop-panel.ts";
import { kindNames, timelineList } from "./timeline-list.ts";
import { withdrawalCard } from "./withdrawal-cards.ts";

export interface InspectorOptions {
  readonly sandbox: Controlled;
  /** Oldest first; the sandbox's own lists, which are not copied for each look at the page. */
  readonly payments: readonly Payment[];
  readonly withdrawals: readonly Withdrawal[];
  readonly timeline: Timeline;
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
<nav class="jump" aria-label="Parts of this page"><a href="#timeline-title">Timeline</a><a href="#payments-title">Payments</a><a href="#withdrawals-title">Withdrawals</a><a href="#faults-title">Faults</a><a href="#known-title">What is known</a></nav>
<p role="status" id="said" class="said-line"></p>
<div class="columns">
${timelinePart(options)}
<div class="side">
${paymentsPart(options)}
${withdrawalsPart(options)}
${faultPanel(sandbox.faults.waiting())}
<section class="panel" aria-labelledby="known-title"><h2 id="known-title">What is known</h2>
<p class="quiet">The sandbox is what settlekit believes the service to be. Answers say on what evidence, in <code>X-Sandbox-Evidence</code>.</p>
<details class="beliefs"><summary>Every operation and its evidence</summary>${operationList()}</details></section>
</div>
</div>`,
  });
}

function timelinePart({ sandbox, timeline, url }: InspectorOptions): Html {
  const entries = timeline.entries();
  const show = Object.keys(kindNames).find((kind) => kind === url.searchParams.get("show"));
  const about = url.searchParams.get("about") ?? undefined;
  const list = timelineList({
    entries,
    show,
    about,
    origin: url.origin,
    requests: sandbox.requests(),
    deliveries: sandbox.webhooks.deliveries(),
  });
  return html`<main aria-labelledby="timeline-title">
<div class="heading"><h2 id="timeline-title">Timeline</h2>${filters(show, about)}</div>
<ol class="timeline" data-live="timeline" aria-label="What happened, newest first">${list}</ol>
<div data-live="timeline-note">${noteOn(entries.length, timeline.dropped(), list.text === "", url.origin)}</div>
</main>`;
}

/** Links, so that a filter can be kept, shared, and works without a script. */
function filters(show: string | undefined, about: string | undefined): Html {
  const link = (name: string, kind: string | undefined, id: string | undefined) => {
    const query = new URLSearchParams({ ...(kind && { show: kind }), ...(id && { about: id }) });
    const href = query.size === 0 ? "/_sandbox" : `/_sandbox?${query}`;
    return html`<a href="${href}" ${kind === show && id === about && html`aria-current="page"`}>${name}</a>`;
  };
  const kinds = Object.entries(kindNames).map(([kind, name]) => link(`${name}s`, kind, about));
  return html`<nav class="filters" aria-label="What the timeline shows">${link("All", undefined, about)}${kinds}${about && html`<a class="chip" href="/_sandbox">only ${about.slice(0, 8)}… <span aria-hidden="true">✕</span><span class="visually-hidden">: show all again</span></a>`}</nav>`;
}

function noteOn(count: number, dropped: number, isEmpty: boolean, origin: string): Html {
  if (count === 0) {
    return html`<div class="empty" id="timeline-empty"><p><strong>Nothing has happened yet.</strong></p>
<p>Point your client at <code>${origin}</code> and create a payment, or play the shop with <em>New payment</em>.</p></div>`;
  }
  if (isEmpty)
    return html`<p class="empty" id="timeline-empty">Nothing of the kind happened yet.</p>`;
  return html`<p class="quiet" id="timeline-dropped">${dropped > 0 && `${dropped} older entries were dropped to save memory.`}</p>`;
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
function merchantNames({ merchants }: Controlled): (merchantId: string) => string | undefined {
  if (merchants.length < 2) return () => undefined;
  const names = new Map(merchants.map(({ merchantId, name }) => [merchantId, name]));
  return (merchantId) => names.get(merchantId);
}
