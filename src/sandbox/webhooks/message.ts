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

/** The headers that are not signed. */
export function hintHeaders(
  { endpointId, eventId, deliveryId }: WebhookHints,
  headerPrefix: string,
): Record<string, string> {
  return {
    ...(endpointId !== undefined && { [`${headerPrefix}-Id`]: endpointId }),
    ...(eventId !== undefined && { [`${headerPrefix}-Event-Id`]: eventId }),
    ...(deliveryId !== undefined && { [`${headerPrefix}-Delivery-Id`]: deliveryId }),
  };
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
