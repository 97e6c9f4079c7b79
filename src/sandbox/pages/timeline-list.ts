import type { ReceivedRequest } from "../request-log.ts";
import type { TimelineEntry } from "../timeline.ts";
import type { WebhookDelivery } from "../webhook-deliveries.ts";
import { curlFor } from "./curl.ts";
import { type Html, html } from "./html.ts";

export interface TimelineParts {
  /** Oldest first. */
  readonly entries: readonly TimelineEntry[];
  readonly requests: readonly ReceivedRequest[];
  readonly deliveries: readonly WebhookDelivery[];
  /** Where the sandbox was reached, for requests to be repeated. */
  readonly origin: string;
}

type Entry<Type extends TimelineEntry["type"]> = Extract<TimelineEntry, { type: Type }>;

/** An entry, and how many times in a row the very same was asked. */
interface Run {
  readonly entry: TimelineEntry;
  readonly count: number;
}

const maxShown = 100;
const maxBodyCharacters = 4_000;

/** What happened, newest first. Each entry opens, and links to what it came from and led to. */
export function timelineList({ entries, requests, deliveries, origin }: TimelineParts): Html {
  const requestOf = new Map(requests.map((request) => [request.requestId, request]));
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.id, delivery]));

  function row({ entry, count }: Run): Html {
    const { sequence, type, at } = entry;
    return html`<li id="entry-${sequence}" class="entry ${type}"><details>
<summary><span class="kind">${names[type]}</span><span class="what">${what(entry)}${count > 1 && html` <span class="count">× ${count}</span>`}</span>${outcome(entry, deliveryOf)}<time datetime="${at}">${at.slice(11, 19)}</time></summary>
<div class="details">${links(entry)}${details(entry)}</div>
</details></li>`;
  }

  /** Only what is in the list can be linked to. */
  function links(entry: TimelineEntry): Html | undefined {
    const related = entries.filter((other) => isLinked(entry, other) || isLinked(other, entry));
    if (related.length === 0) return undefined;
    return html`<ul class="links">${related.map((other) => {
      const direction = other.sequence < entry.sequence ? "From" : "Led to";
      return html`<li>${direction} <a href="#entry-${other.sequence}">${names[other.type].toLowerCase()} ${titleOf(other)}</a></li>`;
    })}</ul>`;
  }

  function details(entry: TimelineEntry): Html {
    switch (entry.type) {
      case "request":
        return requestDetails(entry, requestOf.get(entry.requestId));
      case "change":
        return facts({ id: entry.subjectId, order: entry.orderId, status: entry.status });
      case "webhook":
        return webhookDetails(entry, deliveryOf.get(entry.deliveryId));
      case "attempt":
        return attemptDetails(entry, deliveryOf.get(entry.deliveryId));
    }
  }

  function requestDetails({ sequence, requestId }: Entry<"request">, request?: ReceivedRequest) {
    if (request === undefined) return html`<p>Its details were dropped to save memory.</p>`;
    const { method, path, headers, body } = request;
    const curl = curlFor({ method, url: origin + path, headers, body });
    return html`${facts({ "request id": requestId, path, ...headers })}
${bodyText(body)}${copyable(`curl-${sequence}`, "As curl", curl)}`;
  }

  function webhookDetails({ deliveryId }: Entry<"webhook">, delivery?: WebhookDelivery): Html {
    if (delivery === undefined) return html`<p>It is gone, by a reset or a snapshot.</p>`;
    const { eventId, status, nextAttemptAt, data } = delivery;
    return html`${facts({ "delivery id": deliveryId, "event id": eventId, status, "next attempt": nextAttemptAt })}
${bodyText(JSON.stringify(data))}
${status !== "recorded" && html`<p><button type="button" data-post="deliveries/${deliveryId}/replay">Send again</button></p>`}`;
  }

  function attemptDetails(entry: Entry<"attempt">, delivery?: WebhookDelivery): Html {
    const attempt = delivery?.attempts[entry.attempt - 1];
    if (attempt === undefined) return html`<p>It is gone, by a reset or a snapshot.</p>`;
    const { request, durationMs, error } = attempt;
    return html`${facts({ to: request.url, took: `${Math.round(durationMs)} ms`, error, ...request.headers })}
${bodyText(request.body)}${copyable(`curl-${entry.sequence}`, "As curl", curlFor({ ...request, method: "POST" }))}`;
  }

  const shown = runsOf(entries).slice(-maxShown).reverse();
  return html`${shown.map(row)}`;
}

const names: Readonly<Record<TimelineEntry["type"], string>> = {
  request: "Request",
  change: "Change",
  webhook: "Webhook",
  attempt: "Attempt",
};

/** Whether the second came directly from the first. */
function isLinked(from: TimelineEntry, to: TimelineEntry): boolean {
  if (from.type === "request") return to.type === "change" && to.requestId === from.requestId;
  if (from.type === "change") return to.type === "webhook" && to.eventId === from.eventId;
  if (from.type === "webhook") return to.type === "attempt" && to.deliveryId === from.deliveryId;
  return false;
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

function outcome(
  entry: TimelineEntry,
  deliveryOf: ReadonlyMap<string, WebhookDelivery>,
): Html | undefined {
  if (entry.type === "change") return statusBadge(entry.status);
  if (entry.type === "webhook")
    return statusBadge(deliveryOf.get(entry.deliveryId)?.status ?? "gone");
  const { status } = entry;
  if (status === null) return html`<span class="badge bad">no answer</span>`;
  return html`<span class="badge ${status < 400 ? "good" : "bad"}">${status}</span>`;
}

/** The status of a payment, a withdrawal or a webhook, in the colour of what it means. */
export function statusBadge(status: string): Html {
  const isGood = ["completed", "confirmed", "delivered"].includes(status);
  const isBad = ["failed", "expired", "cancelled"].includes(status);
  return html`<span class="badge ${isGood ? "good" : isBad ? "bad" : "open"}">${status}</span>`;
}

function facts(values: Readonly<Record<string, string | null>>): Html {
  const known = Object.entries(values).filter(([, value]) => value !== null);
  return html`<dl>${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function bodyText(body: string): Html | undefined {
  if (body === "") return undefined;
  const text = readable(body);
  const shown = text.slice(0, maxBodyCharacters);
  const rest = text.length - shown.length;
  return html`<pre>${shown}</pre>${rest > 0 && html`<p>${rest} more characters</p>`}`;
}

function readable(body: string): string {
  if (body.length > maxBodyCharacters) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function copyable(id: string, title: string, text: string): Html {
  return html`<div class="copyable"><p>${title} <copy-button for="${id}" label="Copy as curl"></copy-button></p>
<pre id="${id}">${text}</pre></div>`;
}
