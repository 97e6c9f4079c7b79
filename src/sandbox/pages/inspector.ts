import { html } from "hono/html";
import type { Sandbox } from "../sandbox.ts";
import {
  commandButton,
  type Html,
  type PagesOptions,
  paceChoice,
  pageAnswer,
} from "./components.ts";
import { operationList } from "./entry.ts";
import { disorderPanel, faultPanel, recordsPanel } from "./panels.ts";
import { filterLinks, filterOf, timelineRows } from "./timeline.ts";

/** The page that shows and controls everything in a sandbox. It refreshes its own `data-live` elements. */
export function inspectorPage(options: PagesOptions, url: URL): Promise<Response> {
  const { sandbox } = options;
  const body = html`<header class="top">
<h1>settlekit <span>sandbox</span></h1>
${clockPanel(sandbox)}
<div class="buttons" role="group" aria-label="Sandbox state"><button type="button" id="save">Save<span class="visually-hidden"> to a file</span></button><button type="button" id="load">Load<span class="visually-hidden"> from a file</span></button>${commandButton("Reset", "reset", { about: "the sandbox", attributes: danger })}</div>
</header>
<nav class="jump" aria-label="Sections"><a href="#timeline-title">Timeline</a><a href="#payments-title">Payments</a><a href="#withdrawals-title">Withdrawals</a><a href="#faults-title">Faults</a><a href="#disorder-title">Webhook disorder</a><a href="#evidence-title">Evidence</a></nav>
<p role="status" id="said" class="said-line"></p>
<p role="status" id="done" class="visually-hidden"></p>
<div class="columns">
${timelinePart(options, url)}
<div class="side">
<section class="panel" aria-label="Scenarios">${paceChoice("Play scenarios")}</section>
${recordsPanel(options, "payments")}
${recordsPanel(options, "withdrawals")}
${faultPanel(sandbox)}
${disorderPanel(sandbox)}
<section class="panel" aria-labelledby="evidence-title"><h2 id="evidence-title">Evidence</h2>
<p class="quiet">The sandbox behaves as settlekit believes the service does. The <code>X-Sandbox-Evidence</code> header of each response names the evidence for that.</p>
<details class="simulated"><summary>Evidence for each operation</summary>${operationList()}</details></section>
</div>
</div>`;
  return pageAnswer("inspector", "settlekit sandbox", body);
}

const danger = html` class="danger" data-confirm="Delete everything in this sandbox?"`;

const advances = { "1m": "1 min", "15m": "15 min", "1h": "1 h", "1d": "1 day" };

function clockPanel({ clock }: Sandbox): Html {
  const iso = clock.now().toISOString();
  const isFrozen = clock.isFrozen();
  return html`<div class="time" role="group" aria-label="Clock">
<p data-live="clock"><time id="now" datetime="${iso}"${isFrozen && html` class="frozen"`}>${iso.slice(0, 19).replace("T", " ")}</time> <span class="quiet" id="pace">UTC${isFrozen && ", frozen"}</span></p>
<div class="buttons">${Object.entries(advances).map(([duration, name]) =>
    commandButton(`+${name}`, "clock/advance", { about: "on the clock", body: { duration } }),
  )}</div>
</div>`;
}

function timelinePart({ sandbox, events }: PagesOptions, url: URL): Html {
  const entries = events.entries();
  const filter = filterOf(url);
  const rows = timelineRows(entries, sandbox.webhooks.deliveries(), filter);
  return html`<main aria-labelledby="timeline-title">
<div class="heading"><h2 id="timeline-title">Timeline</h2>${filterLinks(filter)}</div>
<ol class="timeline" data-live="timeline" aria-label="Events, newest first">${rows}</ol>
<div data-live="timeline-note">${entries.length === 0 ? nothingYet(url.origin) : rows.length === 0 ? nothingMatches : droppedNote(sandbox)}</div>
</main>`;
}

function nothingYet(origin: string): Html {
  return html`<div class="empty" id="timeline-empty"><p><strong>Nothing has happened yet.</strong></p>
<p>Point your client at <code>${origin}</code> and create a payment, or use <em>New payment</em>.</p></div>`;
}

const nothingMatches = html`<p class="empty" id="timeline-empty">No event matches this filter yet.</p>`;

function droppedNote(sandbox: Sandbox): Html | undefined {
  const { requests, deliveries, timelineEntries, idempotencyKeys } = sandbox.dropped();
  const counts = [
    [timelineEntries, "events"],
    [requests, "request details"],
    [deliveries, "webhooks"],
    [idempotencyKeys, "idempotency keys"],
  ] as const;
  const dropped = counts.filter(([count]) => count > 0);
  if (dropped.length === 0) return undefined;
  const text = dropped.map(([count, kind]) => `${count} older ${kind}`).join(", ");
  return html`<p class="quiet" id="timeline-dropped">Dropped to save memory: ${text}.</p>`;
}
