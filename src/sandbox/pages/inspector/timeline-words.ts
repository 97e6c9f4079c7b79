import type { TimelineEntry } from "../../timeline/timeline.ts";
import type { WebhookDelivery } from "../../webhooks/webhook-delivery.ts";
import { type Html, html } from "../html.ts";
import { badge, statusBadge } from "../status-badge.ts";

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
