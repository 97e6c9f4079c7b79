import type { TimelineEntry } from "../timeline/timeline.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import { badge, type Html, html, statusBadge } from "./components.ts";
import { threadsOf } from "./threads.ts";

/** What a reader of the timeline wants to see. */
export interface TimelineFilter {
  /** Entries of one group of kinds; undefined for all. */
  readonly show: string | undefined;
  /** Entries about the payment or withdrawal with this id; undefined for all. */
  readonly about: string | undefined;
}

const groups: ReadonlyMap<string, readonly TimelineEntry["type"][]> = new Map([
  ["requests", ["request"]],
  ["changes", ["clock", "change", "confirmation", "quotes"]],
  ["webhooks", ["webhook", "attempt"]],
]);

/** In the page's address, so that it can be kept, and works without a script. */
export function filterOf({ searchParams }: URL): TimelineFilter {
  const show = searchParams.get("show") ?? "";
  return {
    show: groups.has(show) ? show : undefined,
    about: searchParams.get("about") || undefined,
  };
}

export function isWanted({ type }: TimelineEntry, { show }: TimelineFilter): boolean {
  return show === undefined || groups.get(show)?.includes(type) === true;
}

/** Links to other filters. */
export function filterLinks({ show, about }: TimelineFilter): Html {
  const link = (name: string, group?: string) => {
    const query = new URLSearchParams({ ...(group && { show: group }), ...(about && { about }) });
    const isCurrent = group === show && html`aria-current="page"`;
    return html`<a href="/_sandbox${query.size > 0 && `?${query}`}" ${isCurrent}>${name}</a>`;
  };
  return html`<nav class="filters" aria-label="What the timeline shows">${link("All")}${link("Requests", "requests")}${link("Changes", "changes")}${link("Webhooks", "webhooks")}${about && html`<a class="chip" href="/_sandbox">only ${about.slice(0, 8)}… <span aria-hidden="true">✕</span><span class="visually-hidden">: show all again</span></a>`}</nav>`;
}

/** What kinds of entries are called. */
export const kindNames: Readonly<Record<TimelineEntry["type"], string>> = {
  request: "Request",
  clock: "Clock",
  change: "Change",
  confirmation: "Confirmed",
  quotes: "Quotes",
  webhook: "Webhook",
  attempt: "Attempt",
};

/** What an entry is about, in one line. */
export function what(entry: TimelineEntry, deliveryOf: ReadonlyMap<string, WebhookDelivery>): Html {
  switch (entry.type) {
    case "request":
      return html`<code>${entry.method} ${shortPath(entry.path)}</code>`;
    case "clock":
      return html`moved to <code>${entry.until.slice(0, 19).replace("T", " ")}</code>`;
    case "change":
      return html`<code>${entry.event}</code>${order(entry.orderId)}`;
    case "confirmation":
      return html`${entry.confirmations} of ${entry.requiredConfirmations} blocks`;
    case "quotes":
      return html`${entry.quoteIds.length} prices ran out`;
    case "webhook":
      return html`<code>${entry.event}</code>${order(deliveryOf.get(entry.deliveryId)?.data.orderId)}`;
    case "attempt":
      return html`<code>${entry.event}</code>${order(deliveryOf.get(entry.deliveryId)?.data.orderId)} attempt ${entry.attempt}${entry.disorder && html` ${badge("warn", entry.disorder)}`}`;
  }
}

function order(orderId: string | null | undefined): Html | undefined {
  return orderId ? html` <bdi class="quiet">${orderId}</bdi>` : undefined;
}

/** What a link to an entry says of it. */
export function titleOf(entry: TimelineEntry): string {
  const name = kindNames[entry.type].toLowerCase();
  switch (entry.type) {
    case "request":
      return `${name} ${entry.method} ${shortPath(entry.path)}`;
    case "clock":
      return `${name} at ${entry.at.slice(11, 19)}`;
    case "confirmation":
      return `${name} ${entry.confirmations} of ${entry.requiredConfirmations}`;
    case "quotes":
      return `${name} that ran out`;
    case "attempt":
      return `${name} ${entry.attempt}`;
    default:
      return `${name} ${entry.event}`;
  }
}

/** How it ended. */
export function outcome(
  entry: TimelineEntry,
  deliveryOf: ReadonlyMap<string, WebhookDelivery>,
): Html | undefined {
  switch (entry.type) {
    case "request":
      if (entry.outcome === "open") return badge("open", "open");
      if (entry.outcome === "unanswered") return badge("bad", "no answer");
      if (entry.outcome === "cut off") return badge("bad", `${entry.status} cut off`);
      return codeBadge(entry.status);
    case "change":
      return statusBadge(entry.status);
    case "webhook":
      return statusBadge(deliveryOf.get(entry.deliveryId)?.status ?? "gone");
    case "attempt":
      return codeBadge(entry.status);
    default:
      // The grid has a place for it.
      return html`<span></span>`;
  }
}

function codeBadge(status: number | null): Html {
  if (status === null) return badge("bad", "no answer");
  return badge(status < 400 ? "good" : "bad", status);
}

/** Without what all paths of a group begin with, and with ids as short as they can be told apart. */
function shortPath(path: string): string {
  return path
    .replace(/^\/v1\/external\/(?:secretkey|payment-secret)-auth/, "")
    .replace(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/g, "$1…");
}

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
