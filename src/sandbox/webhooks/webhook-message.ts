import { signWebhook } from "../../webhooks/index.ts";
import type { Merchant } from "../records/merchants.ts";
import type { DisorderKind } from "./disorder.ts";
import { staleWebhook, strangersWebhook, tamperedWebhook } from "./forged-webhook.ts";
import { hintHeaders } from "./hint-headers.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";
import type { WebhookEndpoint, WebhookMessage } from "./webhook-endpoint.ts";

/** Who webhooks are sent to. */
export interface Recipient {
  readonly merchant: Merchant;
  readonly endpoint: WebhookEndpoint;
}

/** A delivery as it is sent, signed now. */
export function messageFor(
  { id, eventId, event, data }: Pick<WebhookDelivery, "id" | "eventId" | "event" | "data">,
  { merchant, endpoint }: Recipient,
  nowMs: number,
): WebhookMessage {
  const timestamp = String(Math.floor(nowMs / 1000));
  const { body, headers } = signWebhook({
    event: { event, data },
    secret: merchant.webhookSecret,
    timestamp,
  });
  const hints = hintHeaders({ endpointId: merchant.endpointId, eventId, deliveryId: id });
  return { url: endpoint.url, headers: { ...headers, ...hints }, body };
}

interface Forgery {
  readonly secret: string;
  readonly byMs: number;
  readonly random: () => number;
}

/** The message with what a disorder changes in it; the others are a matter of when it is sent. */
export function disorderedMessage(
  message: WebhookMessage,
  kind: DisorderKind | undefined,
  { secret, byMs, random }: Forgery,
): WebhookMessage {
  switch (kind) {
    case "tamper": {
      const { tampered: _, ...forged } = tamperedWebhook(message, random);
      return forged;
    }
    case "stale-timestamp":
      return staleWebhook(message, { secret, byMs });
    case "wrong-secret":
      return strangersWebhook(message);
    default:
      return message;
  }
}
