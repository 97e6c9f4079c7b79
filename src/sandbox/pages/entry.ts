import { html } from "hono/html";
import { TrieRouter } from "hono/router/trie-router";
import openApi from "../../../api/openapi.json" with { type: "json" };
import { parsedJson } from "../../values.ts";
import type { Operation } from "../../wire/operation.ts";
import { operationTable } from "../../wire/operations.ts";
import type { TimelineEntry } from "../events.ts";
import type { ReceivedAnswer, ReceivedRequest } from "../request-log.ts";
import type { Sandbox } from "../sandbox.ts";
import { evidenceHeader, operationEvidence } from "../service/answers.ts";
import { honoPath } from "../service/operations.ts";
import type { WebhookAttempt, WebhookDelivery } from "../webhooks/delivery.ts";
import type { WebhookParts } from "../webhooks/disorder.ts";
import { evidenceBadge, type Html, type PagesOptions, pageAnswer } from "./components.ts";
import { curlFor } from "./curl.ts";
import { redeliveryButtons } from "./panels.ts";
import { addressOf, describe, linksOf } from "./timeline.ts";

/** The details of one event, if it is kept. The inspector fetches them when an entry is opened. */
export function entryPage(
  { sandbox, events }: PagesOptions,
  wanted: string,
  origin: string,
): Promise<Response> | undefined {
  const entries = events.entries();
  const entry = entries.find(({ sequence }) => String(sequence) === wanted);
  if (entry === undefined) return undefined;
  const { title } = describe(entry);
  const body = html`<main class="entry-page">
<h1>settlekit <span>sandbox</span></h1>
<h2>${title}</h2>
<div class="details">${links(entry, entries)}${details(entry, sandbox, origin) ?? gone}</div>
<p><a href="/_sandbox#entry-${entry.sequence}">Back to the timeline</a></p>
</main>`;
  return pageAnswer("inspector", title, body);
}

const maxLinks = 20;

function links(entry: TimelineEntry, entries: readonly TimelineEntry[]): Html | undefined {
  const linked = linksOf(entry, entries);
  if (linked.length === 0) return undefined;
  const rest = linked.length - maxLinks;
  return html`<ul class="links">${linked.slice(0, maxLinks).map((other) => {
    const direction = other.sequence < entry.sequence ? "Caused by" : "Led to";
    return html`<li>${direction} <a href="${addressOf(other, entries)}">${describe(other).title}</a></li>`;
  })}${rest > 0 && html`<li>and ${rest} more</li>`}</ul>`;
}

const gone = html`<p>The details are no longer available: the sandbox was reset, or dropped them to save memory.</p>`;

/** `undefined` if the details were dropped or reset. */
function details(entry: TimelineEntry, sandbox: Sandbox, origin: string): Html | undefined {
  switch (entry.type) {
    case "request": {
      const request = sandbox.requests().find(({ requestId }) => requestId === entry.requestId);
      return request && requestDetails(request, entry.sequence, origin);
    }
    case "webhook.created":
    case "webhook.attempted": {
      const { deliveryId } = entry;
      const delivery = sandbox.webhooks.deliveries().find(({ id }) => id === deliveryId);
      if (entry.type === "webhook.created") return delivery && webhookDetails(delivery);
      const attempt = delivery?.attempts[entry.attempt - 1];
      return attempt && attemptDetails(attempt, entry.sequence);
    }
    default: {
      const { type: _type, sequence: _sequence, ...own } = entry;
      return facts(own);
    }
  }
}

function requestDetails(request: ReceivedRequest, sequence: number, origin: string): Html {
  const { method, path, headers, body, bodyOmitted, answer, requestId } = request;
  const curl = curlFor({ method, url: origin + path, headers, body });
  return html`${evidenceNote(request)}
${facts({ path, "request ID": requestId })}
${message("Request", request)}${answer && message("Response", answer)}${bodyOmitted > 0 ? notRepeatable : copyable(`curl-${sequence}`, curl)}`;
}

function webhookDetails(delivery: WebhookDelivery): Html {
  const { id, eventId, status, nextAttemptAt, disorder, data } = delivery;
  return html`${facts({ "delivery ID": id, "event ID": eventId, status, "next attempt": nextAttemptAt, disorder: disorder?.kind })}
${bodyText(JSON.stringify(data))}
${status === "recorded" ? neverSent : redeliveryButtons(id)}`;
}

function attemptDetails(attempt: WebhookAttempt, sequence: number): Html {
  const { request, answer, at, durationMs, disorder, error } = attempt;
  const curl = curlFor({ ...request, method: "POST" });
  return html`${facts({ to: request.url, at, took: `${Math.round(durationMs)} ms`, disorder, error })}
${message("Webhook", request)}${answer && message("Response", answer)}${copyable(`curl-${sequence}`, curl)}`;
}

const notRepeatable = html`<p class="quiet">No curl command, because the body was not kept in full.</p>`;

const neverSent = html`<p>Recorded, but not sent: the merchant has no webhook URL. Start the sandbox with <code>--webhook-url</code>, or pass <code>webhookUrl</code> or <code>deliver</code> to <code>createSandbox</code>.</p>`;

const operations: readonly Operation<unknown>[] = Object.values(operationTable);
const router = new TrieRouter<Operation<unknown>>();
for (const it of operations) router.add(it.method, honoPath(it.path), it);

const described: Readonly<Record<string, Partial<Record<string, { readonly summary: string }>>>> =
  openApi.paths;

/** The operation that was called, with the evidence for it and for its response. */
function evidenceNote({ method, path, answer }: ReceivedRequest): Html {
  const [pathname = ""] = path.split("?");
  const [[[found] = []]] = router.match(method, pathname);
  const evidence = answer?.headers[evidenceHeader.toLowerCase()];
  const response = evidence && html` This response is ${evidenceBadge(evidence)}.`;
  if (found === undefined)
    return html`<p class="quiet">The service has no such route.${response}</p>`;
  const { summary } = described[found.path]?.[found.method.toLowerCase()] ?? {};
  return html`<p class="quiet"><strong>${summary}.</strong> The operation is ${evidenceBadge(operationEvidence(found.name))}.${response}</p>`;
}

export function operationList(): Html {
  return html`<ul>${operations.map(
    ({ name, method, path }) =>
      html`<li>${evidenceBadge(operationEvidence(name))} <code>${method} ${path}</code></li>`,
  )}</ul>`;
}

function message(title: string, sent: WebhookParts & Partial<ReceivedAnswer>): Html {
  const { headers, body, bodyOmitted = 0 } = sent;
  return html`<section class="message"><h3>${title}</h3>
<details class="headers"><summary>Headers</summary>${facts(headers)}</details>${bodyText(body)}${bodyOmitted > 0 && html`<p class="quiet">${bodyOmitted} more characters were not kept.</p>`}</section>`;
}

function facts(values: object): Html {
  const known = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  return html`<dl>${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${text(value)}</dd></div>`)}</dl>`;
}

function bodyText(body: string): Html | undefined {
  if (body === "") return undefined;
  const value = parsedJson(body);
  const text = value === undefined ? body : JSON.stringify(value, null, 2);
  // It scrolls, so it must be reachable by keyboard.
  return html`<pre class="body" tabindex="0" role="group" aria-label="Body">${text}</pre>`;
}

function copyable(id: string, text: string): Html {
  return html`<div class="copyable"><p>As a curl command <span class="copy"><button type="button" aria-label="Copy as curl" data-copy="${id}">Copy</button><span class="said" role="status"></span></span></p>
<pre id="${id}">${text}</pre></div>`;
}
