import { html } from "hono/html";
import type { TimelineEntry } from "../events.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import { badge, type Html, statusBadge } from "./components.ts";
import { threadsOf } from "./threads.ts";

/** Which events the timeline shows. It is part of the page's URL, so that it works without JavaScript. */
interface TimelineFilter {
  /** One group of events; undefined for all. */
  readonly show: string | undefined;
  /** Id of the payment or withdrawal that the events are about; undefined for all. */
  readonly about: string | undefined;
}

/** By the first word of the event's type. */
const groups: ReadonlyMap<string, readonly string[]> = new Map([
  ["requests", ["request", "fault"]],
  ["changes", ["clock", "payment", "withdrawal", "quotes", "idempotency"]],
  ["webhooks", ["webhook"]],
]);

export function filterOf({ searchParams }: URL): TimelineFilter {
  const show = searchParams.get("show") ?? "";
  return {
    show: groups.has(show) ? show : undefined,
    about: searchParams.get("about") || undefined,
  };
}

export function filterLinks({ show, about }: TimelineFilter): Html {
  const link = (name: string, group?: string) => {
    const query = new URLSearchParams({ ...(group && { show: group }), ...(about && { about }) });
    const isCurrent = group === show && html` aria-current="page"`;
    return html`<a href="/_sandbox${query.size > 0 && `?${query}`}"${isCurrent}>${name}</a>`;
  };
  return html`<nav class="filters" aria-label="Filter">${link("All")}${link("Requests", "requests")}${link("Changes", "changes")}${link("Webhooks", "webhooks")}${about && html`<a class="chip" href="/_sandbox">only ${about.slice(0, 8)}… <span aria-hidden="true">✕</span><span class="visually-hidden">: show all again</span></a>`}</nav>`;
}

const maxRows = 100;

/** The latest events, newest first. The details of each are fetched when it is opened: they are much longer. */
export function timelineRows(
  entries: readonly TimelineEntry[],
  deliveries: readonly WebhookDelivery[],
  { show, about }: TimelineFilter,
): Html[] {
  const threads = threadsOf(entries);
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const group = show === undefined ? undefined : groups.get(show);
  const wanted = entries.filter(
    (entry) =>
      (group === undefined || group.includes(entry.type.split(".")[0] ?? "")) &&
      (about === undefined || threads.isAbout(entry, about)),
  );
  return collapsed(wanted)
    .slice(-maxRows)
    .reverse()
    .map(({ entry, count }) => {
      const { sequence, at } = entry;
      const { kind, what, outcome } = describe(entry, deliveryOf);
      return html`<li id="entry-${sequence}" class="entry ${kind.toLowerCase()}" data-thread="${threads.threadOf(entry)}"><details>
<summary><span class="kind">${kind}</span><span class="what">${what}${count > 1 && html` <span class="count">× ${count}</span>`}</span>${outcome ?? html`<span></span>`}<time datetime="${at}">${at.slice(11, 19)}</time></summary>
<div class="details"><a href="/_sandbox/entries/${sequence}">Details</a></div>
</details></li>`;
    });
}

/** Repeated reads with the same answer, as polling sends them, are one row with a count. */
function collapsed(entries: readonly TimelineEntry[]): { entry: TimelineEntry; count: number }[] {
  const rows: { entry: TimelineEntry; count: number }[] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (last !== undefined && isSameRead(last.entry, entry)) last.count++;
    else rows.push({ entry, count: 1 });
  }
  return rows;
}

function isSameRead(a: TimelineEntry, b: TimelineEntry): boolean {
  if (a.type !== "request" || b.type !== "request") return false;
  return a.method === "GET" && b.method === "GET" && a.path === b.path && a.status === b.status;
}

interface Description {
  readonly kind: string;
  readonly what: Html;
  readonly outcome?: Html;
  /** Text of links to the event. */
  readonly title: string;
}

const noDeliveries: ReadonlyMap<string, WebhookDelivery> = new Map();

export function describe(entry: TimelineEntry, deliveryOf = noDeliveries): Description {
  switch (entry.type) {
    case "request": {
      const request = `${entry.method} ${shortPath(entry.path)}`;
      return {
        kind: "Request",
        what: html`<code>${request}</code>`,
        outcome: requestBadge(entry),
        title: `request ${request}`,
      };
    }
    case "fault.met": {
      const route = entry.route ?? "rate limit";
      return { kind: "Fault", what: html`<code>${route}</code>`, title: `fault ${route}` };
    }
    case "clock.advanced": {
      const until = entry.until.slice(0, 19).replace("T", " ");
      return {
        kind: "Clock",
        what: html`moved to <code>${until}</code>`,
        title: `clock at ${entry.at.slice(11, 19)}`,
      };
    }
    case "quotes.expired":
      return {
        kind: "Quotes",
        what: html`${entry.quoteIds.length} prices expired`,
        title: "quotes that expired",
      };
    case "idempotency.ended":
      return {
        kind: "Key",
        what: html`<code>${entry.key}</code> expired`,
        title: "key that expired",
      };
    case "webhook.created": {
      const delivery = deliveryOf.get(entry.deliveryId);
      return {
        kind: "Webhook",
        what: html`<code>${entry.event}</code>${order(delivery?.data.orderId)}`,
        outcome: statusBadge(delivery?.status ?? "gone"),
        title: `webhook ${entry.event}`,
      };
    }
    case "webhook.attempted": {
      const { event, deliveryId, attempt, disorder, status } = entry;
      const orderId = deliveryOf.get(deliveryId)?.data.orderId;
      return {
        kind: "Attempt",
        what: html`<code>${event}</code>${order(orderId)} attempt ${attempt}${disorder && html` ${badge("warn", disorder)}`}`,
        outcome: codeBadge(status),
        title: `attempt ${attempt}`,
      };
    }
    default: {
      const { event, orderId, status } = entry;
      if (entry.type === "payment.moved" && event === null) {
        const count = `${entry.confirmations} of ${entry.requiredConfirmations}`;
        return { kind: "Confirmed", what: html`${count} blocks`, title: `confirmed ${count}` };
      }
      return {
        kind: "Change",
        what: html`<code>${event}</code>${order(orderId)}`,
        outcome: statusBadge(status),
        title: `change ${event}`,
      };
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
  if (status === null) return badge("bad", "no answer");
  return badge(status < 400 ? "good" : "bad", status);
}

/** Without the prefix of its group of routes, and with shortened ids. */
function shortPath(path: string): string {
  return path
    .replace(/^\/v1\/external\/(?:secretkey|payment-secret)-auth/, "")
    .replace(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/g, "$1…");
}
