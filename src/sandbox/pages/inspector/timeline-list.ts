import type { TimelineEntry } from "../../timeline/timeline.ts";
import type { WebhookDelivery } from "../../webhooks/webhook-delivery.ts";
import { type Html, html } from "../html.ts";
import { isWanted, type TimelineFilter } from "./timeline-filter.ts";
import { threadsOf } from "./timeline-threads.ts";
import { kindNames, outcome, what } from "./timeline-words.ts";

interface TimelineParts {
  /** Oldest first. */
  readonly entries: readonly TimelineEntry[];
  readonly deliveries: readonly WebhookDelivery[];
  readonly filter: TimelineFilter;
}

/** An entry, and how many times in a row the very same was asked. */
interface Run {
  readonly entry: TimelineEntry;
  readonly count: number;
}

const maxShown = 100;

/** What happened, newest first. Each entry opens to its details, which are fetched then: they are much longer. */
export function timelineList({ entries, deliveries, filter }: TimelineParts): Html {
  const { about } = filter;
  const threads = threadsOf(entries);
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.id, delivery]));

  function row({ entry, count }: Run): Html {
    const { sequence, type, at } = entry;
    return html`<li id="entry-${sequence}" class="entry ${type}" data-thread="${threads.threadOf(entry)}"><details>
<summary><span class="kind">${kindNames[type]}</span><span class="what">${what(entry, deliveryOf)}${count > 1 && html` <span class="count">× ${count}</span>`}</span>${outcome(entry, deliveryOf)}<time datetime="${at}">${at.slice(11, 19)}</time></summary>
<div class="details"><a href="/_sandbox/entries/${sequence}">Details</a></div>
</details></li>`;
  }

  const wanted = entries.filter(
    (entry) => isWanted(entry, filter) && (about === undefined || threads.isAbout(entry, about)),
  );
  return html`${runsOf(wanted).slice(-maxShown).reverse().map(row)}`;
}

/** Polling would fill the list: the same question with the same answer is one entry with a count. */
function runsOf(entries: readonly TimelineEntry[]): Run[] {
  const runs: Run[] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last !== undefined && isSameRead(last.entry, entry)) {
      runs[runs.length - 1] = { entry: last.entry, count: last.count + 1 };
    } else runs.push({ entry, count: 1 });
  }
  return runs;
}

function isSameRead(a: TimelineEntry, b: TimelineEntry): boolean {
  if (a.type !== "request" || b.type !== "request") return false;
  return a.method === "GET" && b.method === "GET" && a.path === b.path && a.status === b.status;
}
