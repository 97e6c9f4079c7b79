import type { ReceivedRequest } from "../request-log.ts";
import type { TimelineEntry } from "../timeline.ts";
import type { WebhookDelivery } from "../webhook-deliveries.ts";
import { type Html, html } from "./html.ts";
import { badge, statusBadge } from "./status-badge.ts";
import { detailsFrom } from "./timeline-details.ts";
import { threadsOf } from "./timeline-threads.ts";

export interface TimelineParts {
  /** Oldest first. */
  readonly entries: readonly TimelineEntry[];
  readonly requests: readonly ReceivedRequest[];
  readonly deliveries: readonly WebhookDelivery[];
  /** Where the sandbox was reached, for requests to be repeated. */
  readonly origin: string;
  /** Only entries of this kind. */
  readonly show: string | undefined;
  /** Only entries about the payment or withdrawal with this id. */
  readonly about: string | undefined;
}

/** An entry, and how many times in a row the very same was asked. */
interface Run {
  readonly entry: TimelineEntry;
  readonly count: number;
}

const maxShown = 100;

/** What happened, newest first. Each entry opens, and links to what it came from and led to. */
export function timelineList(parts: TimelineParts): Html {
  const { entries, deliveries, show, about } = parts;
  const threads = threadsOf(entries);
  const details = detailsFrom(parts);
  const statusOf = new Map(deliveries.map(({ id, status }) => [id, status]));

  function row({ entry, count }: Run): Html {
    const { sequence, type, at } = entry;
    return html`<li id="entry-${sequence}" class="entry ${type}" data-thread="${threads.threadOf(entry)}"><details>
<summary><span class="kind">${kindNames[type]}</span><span class="what">${what(entry)}${count > 1 && html` <span class="count">× ${count}</span>`}</span>${outcome(entry, statusOf)}<time datetime="${at}">${at.slice(11, 19)}</time></summary>
<div class="details">${links(entry)}${details(entry)}</div>
</details></li>`;
  }

  /** Entries that a filter hides can be linked to as well: the link shows them among all. */
  function links(entry: TimelineEntry): Html | undefined {
    const linked = threads.linksOf(entry);
    if (linked.length === 0) return undefined;
    return html`<ul class="links">${linked.map((other) => {
      const direction = other.sequence < entry.sequence ? "From" : "Led to";
      const page = show === undefined ? "" : "/_sandbox";
      return html`<li>${direction} <a href="${page}#entry-${other.sequence}">${kindNames[other.type].toLowerCase()} ${titleOf(other)}</a></li>`;
    })}</ul>`;
  }

  const wanted = entries.filter(
    (entry) =>
      (show === undefined || entry.type === show) &&
      (about === undefined || threads.isAbout(entry, about)),
  );
  return html`${runsOf(wanted).slice(-maxShown).reverse().map(row)}`;
}

/** The kinds of entries by what they are called. */
export const kindNames: Readonly<Record<TimelineEntry["type"], string>> = {
  request: "Request",
  change: "Change",
  webhook: "Webhook",
  attempt: "Attempt",
};

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

function titleOf(entry: TimelineEntry): string {
  if (entry.type === "request") return `${entry.method} ${shortPath(entry.path)}`;
  return entry.type === "attempt" ? `${entry.attempt}` : entry.event;
}

function what(entry: TimelineEntry): Html {
  switch (entry.type) {
    case "request":
      return html`<code>${entry.method} ${shortPath(entry.path)}</code>`;
    case "change":
      return html`<code>${entry.event}</code> <bdi class="quiet">${entry.orderId}</bdi>`;
    case "webhook":
      return html`<code>${entry.event}</code>`;
    case "attempt":
      return html`<code>${entry.event}</code> attempt ${entry.attempt}`;
  }
}

/** Without what all paths of a group begin with, and with ids as short as they can be told apart. */
function shortPath(path: string): string {
  return path
    .replace(/^\/v1\/external\/(?:secretkey|payment-secret)-auth/, "")
    .replace(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/g, "$1…");
}

function outcome(entry: TimelineEntry, statusOf: ReadonlyMap<string, string>): Html {
  if (entry.type === "change") return statusBadge(entry.status);
  if (entry.type === "webhook") return statusBadge(statusOf.get(entry.deliveryId) ?? "gone");
  const { status } = entry;
  if (status === null) return badge("bad", "no answer");
  return badge(status < 400 ? "good" : "bad", status);
}
