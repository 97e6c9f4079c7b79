import { signWebhook, type WebhookHints } from "../../webhooks/index.ts";
import type { Core } from "../core.ts";
import { randomStream } from "../random.ts";
import type { Merchant } from "../service/merchants.ts";
import type { WebhookDelivery } from "./delivery.ts";
import {
  staleWebhook,
  tamperedWebhook,
  type WebhookParts,
  wronglySignedWebhook,
} from "./disorder.ts";

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

/** An attempt to deliver an event, signed now, including the delivery's disorder. */
export function messageFor(
  delivery: WebhookDelivery,
  deliveryId: string,
  { endpointId, webhookSecret: secret }: Merchant,
  nowMs: number,
  { headerPrefix, dialect }: Core,
): WebhookParts {
  const { id, eventId, event, data, occurredAt, disorder } = delivery;
  const [kind = ""] = event.split(".");
  const content =
    dialect === "published"
      ? { type: event, data: { [kind]: data }, timestamp: occurredAt }
      : { event, data };
  const timestamp = new Date(nowMs);
  const signed = signWebhook({ body: JSON.stringify(content), secret, timestamp, headerPrefix });
  const hints = hintHeaders({ endpointId, eventId, deliveryId }, headerPrefix);
  const webhook = { headers: { ...signed.headers, ...hints }, body: signed.body };
  switch (disorder?.kind) {
    case "tamper":
      return tamperedWebhook(webhook, randomStream(id, "tampering").fraction).webhook;
    case "stale-timestamp":
      return staleWebhook(webhook, { secret, byMs: disorder.byMs });
    case "wrong-secret":
      return wronglySignedWebhook(webhook);
    default:
      return webhook;
  }
}
