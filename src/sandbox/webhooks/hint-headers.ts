import type { WebhookHints } from "../../webhooks/index.ts";
import { defaultHeaderPrefix } from "../../wire/credential.ts";

const names = { endpointId: "Id", eventId: "Event-Id", deliveryId: "Delivery-Id" } as const;

/** The headers outside a webhook's signature, for what is to be said in them. */
export function hintHeaders(
  hints: WebhookHints,
  headerPrefix: string = defaultHeaderPrefix,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [hint, name] of Object.entries(names)) {
    const value = hints[hint as keyof typeof names];
    if (value !== undefined) headers[`${headerPrefix}-${name}`] = value;
  }
  return headers;
}
