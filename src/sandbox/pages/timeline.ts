import type { PaymentMoved, TimelineEntry } from "../events.ts";
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

/** By the first word of the type. */
const groups: ReadonlyMap<string, readonly string[]> = new Map([
  ["requests", ["request", "fault"]],
  ["changes", ["clock", "payment", "withdrawal", "quotes", "idempotency"]],
  ["webhooks", ["webhook"]],
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
  return show === undefined || groups.get(show)?.includes(type.split(".")[0] ?? "") === true;
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
const kindNames: Readonly<Record<TimelineEntry["type"], string>> = {
  request: "Request",
  "fault.met": "Fault",
  "clock.advanced": "Clock",
  "payment.created": "Change",
  "payment.moved": "Change",
  "payment.expired": "Change",
  "withdrawal.created": "Change",
  "withdrawal.moved": "Change",
  "quotes.expired": "Quotes",
  "webhook.created": "Webhook",
  "webhook.attempted": "Attempt",
  "idempotency.ended": "Key",
};

export function kindOf(entry: TimelineEntry): string {
  return isConfirmation(entry) ? "Confirmed" : kindNames[entry.type];
}

/** Only the confirmations changed. */
function isConfirmation(entry: TimelineEntry): entry is PaymentMoved {
  return entry.type === "payment.moved" && entry.event === null;
}

/** What an entry is about, in one line. */
export function what(entry: TimelineEntry, deliveryOf: ReadonlyMap<string, WebhookDelivery>): Html {
  if (isConfirmation(entry)) {
    return html`${entry.confirmations} of ${entry.requiredConfirmations} blocks`;
  }
  switch (entry.type) {
    case "request":
      return html`<code>${entry.method} ${shortPath(entry.path)}</code>`;
    case "fault.met":
      return html`<code>${entry.route ?? "rate limit"}</code>`;
    case "clock.advanced":
      return html`moved to <code>${entry.until.slice(0, 19).replace("T", " ")}</code>`;
    case "quotes.expired":
      return html`${entry.quoteIds.length} prices expired`;
    case "idempotency.ended":
      return html`<code>${entry.key}</code> ended`;
    case "webhook.created":
      return html`<code>${entry.event}</code>${order(deliveryOf.get(entry.deliveryId)?.data.orderId)}`;
    case "webhook.attempted":
      return html`<code>${entry.event}</code>${order(deliveryOf.get(entry.deliveryId)?.data.orderId)} attempt ${entry.attempt}${entry.disorder && html` ${badge("warn", entry.disorder)}`}`;
    default:
      return html`<code>${entry.event}</code>${order(entry.orderId)}`;
  }
}

function order(orderId: string | null | undefined): Html | undefined {
  return orderId ? html` <bdi class="quiet">${orderId}</bdi>` : undefined;
}

/** What a link to an entry says of it. */
export function titleOf(entry: TimelineEntry): string {
  const name = kindOf(entry).toLowerCase();
  if (isConfirmation(entry)) {
    return `${name} ${entry.confirmations} of ${entry.requiredConfirmations}`;
  }
  switch (entry.type) {
    case "request":
      return `${name} ${entry.method} ${shortPath(entry.path)}`;
    case "fault.met":
      return `${name} ${entry.route ?? "rate limit"}`;
    case "clock.advanced":
      return `${name} at ${entry.at.slice(11, 19)}`;
    case "quotes.expired":
      return `${name} that expired`;
    case "idempotency.ended":
      return `${name} ${entry.key}`;
    case "webhook.attempted":
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
    case "webhook.created":
      return statusBadge(deliveryOf.get(entry.deliveryId)?.status ?? "gone");
    case "webhook.attempted":
      return codeBadge(entry.status);
    case "fault.met":
    case "clock.advanced":
    case "quotes.expired":
    case "idempotency.ended":
      // Fills its cell of the grid.
      return html`<span></span>`;
    default:
      return isConfirmation(entry) ? html`<span></span>` : statusBadge(entry.status);
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
    return html`<li id="entry-${sequence}" class="entry ${type.replace(".", " ")}" data-thread="${threads.threadOf(entry)}"><details>
<summary><span class="kind">${kindOf(entry)}</span><span class="what">${what(entry, deliveryOf)}${count > 1 && html` <span class="count">× ${count}</span>`}</span>${outcome(entry, deliveryOf)}<time datetime="${at}">${at.slice(11, 19)}</time></summary>
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
