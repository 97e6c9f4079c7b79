import type { Sandbox } from "../../sandbox.ts";
import type { Timeline, TimelineEntry } from "../../timeline/timeline.ts";
import { type Html, html } from "../html.ts";
import { pageAnswer } from "../page-answer.ts";
import { detailsFrom } from "./timeline-details.ts";
import { type Threads, threadsOf } from "./timeline-threads.ts";
import { titleOf } from "./timeline-words.ts";

interface EntryPageOptions {
  readonly sandbox: Sandbox;
  readonly timeline: Timeline;
  /** The entry's number, as the address has it. */
  readonly sequence: string;
  readonly origin: string;
}

/** The details of an entry. The inspector takes them from here when an entry is opened. */
export function entryPage({ sandbox, timeline, sequence, origin }: EntryPageOptions): Response {
  const entries = timeline.entries();
  const entry = entries.find((it) => String(it.sequence) === sequence);
  if (entry === undefined) return unknownEntry();
  const details = detailsFrom({
    origin,
    requests: sandbox.requests(),
    deliveries: sandbox.webhooks.deliveries(),
  });
  return pageAnswer({
    title: titleOf(entry),
    asset: "inspector",
    body: html`<main class="entry-page">
<h1>settlekit <span>sandbox</span></h1>
<h2>${titleOf(entry)}</h2>
<div class="details">${links(entry, threadsOf(entries))}${details(entry)}</div>
<p><a href="/_sandbox#entry-${sequence}">See it in the timeline</a></p>
</main>`,
  });
}

function unknownEntry(): Response {
  return pageAnswer({
    status: 404,
    title: "No such entry",
    asset: "inspector",
    body: html`<main class="entry-page">
<h1>There is no such entry</h1>
<p>It may have been dropped to save memory. <a href="/_sandbox">See the timeline</a></p>
</main>`,
  });
}

const maxLinks = 20;

function links(entry: TimelineEntry, threads: Threads): Html | undefined {
  const linked = threads.linksOf(entry);
  if (linked.length === 0) return undefined;
  const rest = linked.length - maxLinks;
  return html`<ul class="links">${linked.slice(0, maxLinks).map((other) => {
    const direction = other.sequence < entry.sequence ? "From" : "Led to";
    return html`<li>${direction} <a href="/_sandbox#entry-${other.sequence}">${titleOf(other)}</a></li>`;
  })}${rest > 0 && html`<li>and ${rest} more</li>`}</ul>`;
}
