import { signWebhook, type WebhookHints } from "../../webhooks/index.ts";
import type { Core } from "../core.ts";
import { randomStream } from "../random.ts";
import type { Merchant } from "../service/merchants.ts";
import type { WebhookDelivery } from "./delivery.ts";
import { anotherSecret, tamperedWebhook, type WebhookParts } from "./disorder.ts";

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
  { endpointId, webhookSecret }: Merchant,
  nowMs: number,
  { headerPrefix, dialect }: Core,
): WebhookParts {
  const { id, eventId, event, data, occurredAt, disorder } = delivery;
  const [kind = ""] = event.split(".");
  const content =
    dialect === "published"
      ? { type: event, data: { [kind]: data }, timestamp: occurredAt }
      : { event, data };
  const ageMs = disorder?.kind === "stale-timestamp" ? disorder.byMs : 0;
  const { headers, body } = signWebhook({
    body: JSON.stringify(content),
    secret: disorder?.kind === "wrong-secret" ? anotherSecret : webhookSecret,
    timestamp: new Date(Math.max(nowMs - ageMs, 0)),
    headerPrefix,
  });
  const hints = hintHeaders({ endpointId, eventId, deliveryId }, headerPrefix);
  const webhook = { headers: { ...headers, ...hints }, body };
  if (disorder?.kind !== "tamper") return webhook;
  const changed = tamperedWebhook(webhook, randomStream(id, "tampering").fraction);
  return { headers: changed.headers, body: changed.body };
}
