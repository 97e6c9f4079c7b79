import { operationProse } from "../../wire/openapi-prose.ts";
import { type OperationId, operationTable } from "../../wire/operations.ts";
import { type Events, subjectOf, type TimelineEntry } from "../events.ts";
import type { Sandbox } from "../sandbox.ts";
import { evidenceHeader } from "../serving/evidence.ts";
import { operationPaths } from "../serving/operation-paths.ts";
import type { ReceivedRequest } from "../timeline/request-log.ts";
import type { WebhookDelivery } from "../webhooks/delivery.ts";
import { evidenceBadge, type Html, html } from "./components.ts";
import { curlFor } from "./curl.ts";
import { redeliveryButtons } from "./fault-panels.ts";
import { pageAnswer } from "./page.ts";
import { type Threads, threadsOf } from "./threads.ts";
import { titleOf } from "./timeline.ts";

const known = Object.entries(operationTable).map(([id, operation]) => {
  return { operation, prose: operationProse[id as OperationId] };
});
const paths = operationPaths(known);

/** What a request asked for, and how sure it is that the service answers so. */
export function evidenceNote({ method, path, answer }: ReceivedRequest): Html {
  const [pathname = ""] = path.split("?");
  const found = paths.find(method, pathname);
  const evidence = answer?.headers[evidenceHeader.toLowerCase()];
  const answered = evidence && html` The answer is ${evidenceBadge(evidence)}.`;
  if (found === undefined)
    return html`<p class="quiet">The service has no such route.${answered}</p>`;
  const { summary, description, evidence: expected } = found.item.prose;
  return html`<p class="quiet">${evidenceBadge(expected)} <strong>${summary}.</strong> ${description}${evidence !== expected && answered}</p>`;
}

/** Every operation with its evidence. */
export function operationList(): Html {
  return html`<ul>${known.map(
    ({ operation: { method, path }, prose }) =>
      html`<li>${evidenceBadge(prose.evidence)} <code>${method} ${path}</code></li>`,
  )}</ul>`;
}

/** Where the details of entries are found. */
interface DetailSources {
  readonly requests: readonly ReceivedRequest[];
  readonly deliveries: readonly WebhookDelivery[];
  /** Where the sandbox was reached, for requests to be repeated. */
  readonly origin: string;
}

type Entry<Type extends TimelineEntry["type"]> = Extract<TimelineEntry, { type: Type }>;

/** Gives what an entry shows when it is opened. */
export function detailsFrom({ requests, deliveries, origin }: DetailSources) {
  const requestOf = new Map(requests.map((request) => [request.requestId, request]));
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.id, delivery]));

  function requestDetails({ sequence, requestId }: Entry<"request">): Html {
    const request = requestOf.get(requestId);
    if (request === undefined) return gone;
    const { method, path, headers, body, bodyOmitted, answer } = request;
    const curl = curlFor({ method, url: origin + path, headers, body });
    const repetition = bodyOmitted > 0 ? notRepeatable : copyable(`curl-${sequence}`, curl);
    return html`${evidenceNote(request)}
${facts({ path, "request id": requestId })}
${message("Request", request)}${answer && message("Answer", answer)}${repetition}`;
  }

  function webhookDetails({ deliveryId }: Entry<"webhook.created">): Html {
    const delivery = deliveryOf.get(deliveryId);
    if (delivery === undefined) return gone;
    const { eventId, status, nextAttemptAt, disorder, data } = delivery;
    return html`${facts({ "delivery id": deliveryId, "event id": eventId, status, "next attempt": nextAttemptAt, disorder: disorder?.kind ?? null })}
${bodyText(JSON.stringify(data))}
${status === "recorded" ? neverSent : redeliveryButtons(deliveryId)}`;
  }

  function attemptDetails(
    { sequence, deliveryId, at }: Entry<"webhook.attempted">,
    index: number,
  ): Html {
    const attempt = deliveryOf.get(deliveryId)?.attempts[index];
    if (attempt === undefined) return gone;
    const { request, answer, durationMs, disorder, error } = attempt;
    const curl = curlFor({ ...request, method: "POST" });
    return html`${facts({ to: request.url, at, took: `${Math.round(durationMs)} ms`, disorder, error })}
${message("Webhook", request)}${answer && message("Answer", answer)}${copyable(`curl-${sequence}`, curl)}`;
  }

  return (entry: TimelineEntry): Html => {
    switch (entry.type) {
      case "request":
        return requestDetails(entry);
      case "fault.met":
        return facts({
          route: entry.route ?? "the rate limit",
          fault: JSON.stringify(entry.fault),
        });
      case "clock.advanced":
        return facts({ from: entry.at, to: entry.until });
      case "payment.created":
      case "payment.moved":
      case "payment.expired":
      case "withdrawal.created":
      case "withdrawal.moved":
        return facts({
          id: subjectOf(entry) ?? null,
          order: entry.orderId,
          status: entry.status,
        });
      case "quotes.expired":
        return facts({ payment: entry.paymentId, quotes: entry.quoteIds.join(" ") });
      case "idempotency.ended":
        return facts({ operation: entry.operation, key: entry.key });
      case "webhook.created":
        return webhookDetails(entry);
      case "webhook.attempted":
        return attemptDetails(entry, entry.attempt - 1);
    }
  };
}

const gone = html`<p>Its details are gone: by a reset, or dropped to save memory.</p>`;

const notRepeatable = html`<p class="quiet">There is no curl command for it: its body was not kept whole.</p>`;

const neverSent = html`<p>It was recorded only: its merchant had no endpoint. Start the sandbox with <code>--webhook-url</code>, or with <code>webhookUrl</code> or <code>deliver</code> in <code>createSandbox</code>.</p>`;

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How many more characters there were. */
  readonly bodyOmitted?: number;
}

function message(title: string, { headers, body, bodyOmitted = 0 }: Message): Html {
  return html`<section class="message"><h3>${title}</h3>
<details class="headers"><summary>Headers</summary>${facts(headers)}</details>${bodyText(body)}${bodyOmitted > 0 && html`<p class="quiet">${bodyOmitted} more characters were not kept.</p>`}</section>`;
}

function facts(values: Readonly<Record<string, string | null>>): Html {
  const known = Object.entries(values).filter(([, value]) => value !== null);
  return html`<dl>${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function bodyText(body: string): Html | undefined {
  if (body === "") return undefined;
  // It scrolls, so the keyboard must reach it.
  return html`<pre class="body" tabindex="0" role="group" aria-label="Body">${readable(body)}</pre>`;
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function copyable(id: string, text: string): Html {
  return html`<div class="copyable"><p>As curl <copy-button for="${id}" label="Copy as curl"></copy-button></p>
<pre id="${id}">${text}</pre></div>`;
}

interface EntryPageOptions {
  readonly sandbox: Sandbox;
  readonly events: Events;
  /** The entry's number, as the address has it. */
  readonly sequence: string;
  readonly origin: string;
}

/** The details of an entry. The inspector takes them from here when an entry is opened. */
export function entryPage({ sandbox, events, sequence, origin }: EntryPageOptions): Response {
  const entries = events.entries();
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
