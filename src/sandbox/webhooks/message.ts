import { signWebhook, type WebhookHints } from "../../webhooks/index.ts";
import type { Dialect } from "../options.ts";
import type { Merchant } from "../service/merchants.ts";
import type { WebhookDelivery } from "./delivery.ts";
import type { WebhookEndpoint, WebhookMessage } from "./endpoint.ts";

export interface WebhookForm {
  readonly headerPrefix: string;
  readonly dialect: Dialect;
}

export interface Recipient {
  readonly merchant: Merchant;
  readonly endpoint: WebhookEndpoint;
}

const hintNames = { endpointId: "Id", eventId: "Event-Id", deliveryId: "Delivery-Id" } as const;

/** The headers that are not signed. */
export function hintHeaders(hints: WebhookHints, headerPrefix: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [hint, name] of Object.entries(hintNames)) {
    const value = hints[hint as keyof typeof hintNames];
    if (value !== undefined) headers[`${headerPrefix}-${name}`] = value;
  }
  return headers;
}

/** An attempt to deliver an event, signed now. */
export function messageFor(
  delivery: WebhookDelivery,
  deliveryId: string,
  { merchant, endpoint }: Recipient,
  nowMs: number,
  { headerPrefix, dialect }: WebhookForm,
): WebhookMessage {
  const { eventId, event, data, occurredAt } = delivery;
  const [kind = ""] = event.split(".");
  const content =
    dialect === "published"
      ? { type: event, data: { [kind]: data }, timestamp: occurredAt }
      : { event, data };
  const { body, headers } = signWebhook({
    body: JSON.stringify(content),
    secret: merchant.webhookSecret,
    timestamp: String(Math.floor(nowMs / 1000)),
    headerPrefix,
  });
  const hints = { endpointId: merchant.endpointId, eventId, deliveryId };
  return { url: endpoint.url, headers: { ...headers, ...hintHeaders(hints, headerPrefix) }, body };
}
