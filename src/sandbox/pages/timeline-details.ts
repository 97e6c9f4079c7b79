import type { ReceivedRequest } from "../request-log.ts";
import type { TimelineEntry } from "../timeline.ts";
import type { WebhookDelivery } from "../webhook-deliveries.ts";
import { commandButton } from "./command-button.ts";
import { curlFor } from "./curl.ts";
import { type Html, html } from "./html.ts";
import { operationNote } from "./known-operations.ts";

export interface DetailSources {
  readonly requests: readonly ReceivedRequest[];
  readonly deliveries: readonly WebhookDelivery[];
  /** Where the sandbox was reached, for requests to be repeated. */
  readonly origin: string;
}

type Entry<Type extends TimelineEntry["type"]> = Extract<TimelineEntry, { type: Type }>;

const maxBodyCharacters = 4_000;

/** Gives what an entry shows when it is opened. */
export function detailsFrom({ requests, deliveries, origin }: DetailSources) {
  const requestOf = new Map(requests.map((request) => [request.requestId, request]));
  const deliveryOf = new Map(deliveries.map((delivery) => [delivery.id, delivery]));

  function requestDetails({ sequence, requestId }: Entry<"request">): Html {
    const request = requestOf.get(requestId);
    if (request === undefined) return html`<p>Its details were dropped to save memory.</p>`;
    const { method, path, headers, body } = request;
    const curl = curlFor({ method, url: origin + path, headers, body });
    return html`${operationNote(method, path)}
${facts({ path, "request id": requestId })}
${message("Request", headers, body)}${copyable(`curl-${sequence}`, curl)}`;
  }

  function webhookDetails({ deliveryId }: Entry<"webhook">): Html {
    const delivery = deliveryOf.get(deliveryId);
    if (delivery === undefined) return html`<p>It is gone, by a reset or to save memory.</p>`;
    const { eventId, status, nextAttemptAt, data } = delivery;
    return html`${facts({ "delivery id": deliveryId, "event id": eventId, status, "next attempt": nextAttemptAt })}
${bodyText(JSON.stringify(data))}
${status !== "recorded" && redelivery(deliveryId)}`;
  }

  function attemptDetails({ sequence, deliveryId, attempt: count }: Entry<"attempt">): Html {
    const attempt = deliveryOf.get(deliveryId)?.attempts[count - 1];
    if (attempt === undefined) return html`<p>It is gone, by a reset or to save memory.</p>`;
    const { request, durationMs, error } = attempt;
    const curl = curlFor({ ...request, method: "POST" });
    return html`${facts({ to: request.url, took: `${Math.round(durationMs)} ms`, error })}
${message("Request", request.headers, request.body)}${copyable(`curl-${sequence}`, curl)}`;
  }

  return (entry: TimelineEntry): Html => {
    switch (entry.type) {
      case "request":
        return requestDetails(entry);
      case "change":
        return facts({ id: entry.subjectId, order: entry.orderId, status: entry.status });
      case "webhook":
        return webhookDetails(entry);
      case "attempt":
        return attemptDetails(entry);
    }
  };
}

function redelivery(deliveryId: string): Html {
  const path = `deliveries/${deliveryId}/replay`;
  return html`<div class="buttons">${commandButton({ name: "Send again", path })}</div>`;
}

function message(
  title: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Html | undefined {
  return html`<details class="headers"><summary>${title} headers</summary>${facts(headers)}</details>${bodyText(body)}`;
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

function copyable(id: string, text: string): Html {
  return html`<div class="copyable"><p>As curl <copy-button for="${id}" label="Copy as curl"></copy-button></p>
<pre id="${id}">${text}</pre></div>`;
}
