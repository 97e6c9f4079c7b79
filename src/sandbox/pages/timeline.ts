import { html } from "hono/html";
import { subjectOf, type TimelineEntry } from "../events.ts";
import { routeGroup } from "../faults/fault.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import { badge, faultText, type Html, statusBadge } from "./components.ts";

type TimelineFilter = ReturnType<typeof filterOf>;

/** Each filter's events, by the first word of their type. */
const groups: ReadonlyMap<string, readonly string[]> = new Map([
  ["requests", ["request", "fault"]],
  ["changes", ["clock", "payment", "withdrawal", "quotes"]],
  ["webhooks", ["webhook"]],
]);

/** Reads the timeline's filter from the page's URL, so that it works without JavaScript. */
export function filterOf({ searchParams }: URL) {
  const show = searchParams.get("show") ?? "";
  return {
    /** One group of events; empty for all. */
    show: groups.has(show) ? show : "",
    /** Id of the payment or withdrawal that the events are about; empty for all. */
    about: searchParams.get("about") ?? "",
  };
}

export function filterLinks({ show, about }: TimelineFilter): Html {
  const link = (name: string, group: string) => {
    const query = new URLSearchParams({ ...(group && { show: group }), ...(about && { about }) });
    const isCurrent = group === show && html` aria-current="page"`;
    return html`<a href="/_sandbox${query.size > 0 && `?${query}`}"${isCurrent}>${name}</a>`;
  };
  return html`<nav class="filters" aria-label="Filter">${link("All", "")}${link("Requests", "requests")}${link("Changes", "changes")}${link("Webhooks", "webhooks")}${about && html`<a class="chip" href="/_sandbox">only ${about.slice(0, 8)}… <span aria-hidden="true">✕</span><span class="visually-hidden">: show all again</span></a>`}</nav>`;
}

const maxRows = 100;

/** Where an event is shown: in the timeline, or on a page of its own if it is too old. */
export function addressOf(entry: TimelineEntry, entries: readonly TimelineEntry[]): string {
  const isRecent = entries.indexOf(entry) >= entries.length - maxRows;
  return isRecent ? `/_sandbox#entry-${entry.sequence}` : `/_sandbox/entries/${entry.sequence}`;
}

/** The latest events, newest first. Their details are much longer, and are fetched when an entry is opened. */
export function timelineRows(
  entries: readonly TimelineEntry[],
  deliveries: readonly WebhookDelivery[],
  { show, about }: TimelineFilter,
): Html[] {
  const group = groups.get(show);
  const causes = new Set(entries.map(causeKeyOf));
  const isNamed = (entry: TimelineEntry) =>
    subjectOf(entry) === about || (entry.type === "request" && entry.path.includes(about));
  // Requests and clocks belong to what they caused, and faults to what their requests did.
  const roots = new Set(entries.filter(isNamed).map(rootOf));
  const wanted = entries.filter(
    (entry) =>
      (!group || group.includes(entry.type.split(".")[0] ?? "")) &&
      (!about || ((subjectOf(entry) ?? about) === about && roots.has(rootOf(entry)))),
  );
  const rows: { entry: TimelineEntry; count: number }[] = [];
  for (const entry of wanted) {
    const last = rows.at(-1);
    // One row for repeated reads with the same status, as in polling, unless another event links to them.
    if (last && isSameRead(last.entry, entry) && !causes.has(keyOf(entry))) last.count++;
    else rows.push({ entry, count: 1 });
  }
  const statuses = new Map(deliveries.map(({ id, status }) => [id, status]));
  return rows
    .slice(-maxRows)
    .reverse()
    .map(({ entry, count }) => {
      const { sequence, at } = entry;
      const { kind, what, outcome } = describe(entry, statuses);
      return html`<li id="entry-${sequence}" class="entry ${kind.toLowerCase()}"><details>
<summary><span class="kind">${kind}</span><span class="what">${what}${count > 1 && html` <span class="count">× ${count}</span>`}</span>${outcome ?? html`<span></span>`}<time datetime="${at}">${at.slice(11, 19)}</time></summary>
<div class="details"><a href="/_sandbox/entries/${sequence}">Details</a></div>
</details></li>`;
    });
}

function isSameRead(a: TimelineEntry, b: TimelineEntry): boolean {
  if (a.type !== "request" || b.type !== "request") return false;
  return a.method === "GET" && b.method === "GET" && a.path === b.path && a.status === b.status;
}

interface Description {
  readonly kind: string;
  readonly what: Html;
  readonly outcome?: Html | undefined;
  /** Text of links to the event. */
  readonly title: string;
}

/** An event described by a piece of code, such as a webhook event's name. */
function coded(kind: string, code: string | null, outcome: Html, orderId?: string | null) {
  const what = html`<code>${code}</code>${order(orderId)}`;
  return { kind, what, outcome, title: `${kind.toLowerCase()} ${code}` };
}

/** @param statuses Of deliveries, by their ids. */
export function describe(
  entry: TimelineEntry,
  statuses?: ReadonlyMap<string, string>,
): Description {
  switch (entry.type) {
    case "request":
      return coded("Request", `${entry.method} ${shortPath(entry.path)}`, requestBadge(entry));
    case "fault.met": {
      const { route, fault } = entry;
      const what = html`<code>${route ?? "rate limit"}</code> ${faultText(fault)}`;
      return { kind: "Fault", what, title: `fault ${faultText(fault)}` };
    }
    case "clock.advanced": {
      const what = html`moved to <code>${entry.until.slice(0, 19).replace("T", " ")}</code>`;
      return { kind: "Clock", what, title: `clock at ${entry.at.slice(11, 19)}` };
    }
    case "quotes.expired": {
      const { quoteIds, paymentId } = entry;
      const count = quoteIds.length === 1 ? "1 quote" : `${quoteIds.length} quotes`;
      const what = html`${count} of <code>${shortIds(paymentId)}</code> expired`;
      return { kind: "Quotes", what, title: `${count} expired` };
    }
    case "webhook.created": {
      const { event, deliveryId, orderId } = entry;
      return coded("Webhook", event, statusBadge(statuses?.get(deliveryId) ?? "gone"), orderId);
    }
    case "webhook.attempted": {
      const { event, orderId, attempt, disorder, status } = entry;
      const what = html`<code>${event}</code>${order(orderId)} attempt ${attempt}${disorder && html` ${badge("warn", disorder)}`}`;
      return { kind: "Attempt", what, outcome: codeBadge(status), title: `attempt ${attempt}` };
    }
    default: {
      const { event, orderId, status } = entry;
      if (entry.type !== "payment.moved" || event !== null) {
        return coded("Change", event, statusBadge(status), orderId);
      }
      const title = `${entry.confirmations} of ${entry.requiredConfirmations} confirmations`;
      return { kind: "Confirmed", what: html`${title}${order(orderId)}`, title };
    }
  }
}

function order(orderId: string | null | undefined): Html | undefined {
  return orderId ? html` <bdi class="quiet">${orderId}</bdi>` : undefined;
}

function requestBadge({ outcome, status }: Extract<TimelineEntry, { type: "request" }>): Html {
  if (outcome === "open") return badge("open", "open");
  if (outcome === "cut off") return badge("bad", `${status} cut off`);
  return codeBadge(outcome === "unanswered" ? null : status);
}

function codeBadge(status: number | null): Html {
  if (status === null) return badge("bad", "no response");
  return badge(status < 400 ? "good" : "bad", status);
}

/** The path as in the route of a fault, with shortened ids. */
function shortPath(path: string): string {
  return shortIds(path.replace(routeGroup, ""));
}

function shortIds(text: string): string {
  return text.replace(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/g, "$1…");
}

/** The cause and the direct effects of an event, oldest first. */
export function linksOf(entry: TimelineEntry, entries: readonly TimelineEntry[]): TimelineEntry[] {
  return entries.filter(
    (other) => causeKeyOf(other) === keyOf(entry) || keyOf(other) === causeKeyOf(entry),
  );
}

/** The key under which an event is the cause of others. */
function keyOf(entry: TimelineEntry): string {
  if (entry.type === "request") return `request ${entry.requestId}`;
  if (entry.type === "webhook.created") return `delivery ${entry.deliveryId}`;
  if ("eventId" in entry && entry.eventId !== null) return `event ${entry.eventId}`;
  return `entry ${entry.sequence}`;
}

/** The key of the event that directly caused this one. */
function causeKeyOf(entry: TimelineEntry): string | undefined {
  if (entry.type === "request") return undefined;
  if (entry.type === "webhook.created") return `event ${entry.eventId}`;
  if (entry.type === "webhook.attempted") return `delivery ${entry.deliveryId}`;
  if ("requestId" in entry && entry.requestId !== null) return `request ${entry.requestId}`;
  if (!("clockSequence" in entry) || entry.clockSequence === null) return undefined;
  return `entry ${entry.clockSequence}`;
}

/** The key of the event that directly caused this one, or its own. */
function rootOf(entry: TimelineEntry): string {
  return causeKeyOf(entry) ?? keyOf(entry);
}
