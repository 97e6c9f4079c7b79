import { signWebhook, type WebhookHints } from "../../webhooks/index.ts";
import { parseTimestamp } from "../../webhooks/timestamp.ts";
import { defaultHeaderPrefix } from "../../wire/credential.ts";
import type { Merchant } from "../service/merchants.ts";
import type { WebhookDelivery } from "./delivery.ts";
import type { DisorderKind } from "./disorder.ts";
import type { WebhookEndpoint, WebhookMessage } from "./endpoint.ts";

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

/** What of a webhook goes over the network. */
export interface WebhookParts {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What of a webhook can be tampered with. */
type TamperedPart = "body" | "signature" | "timestamp";

/** A webhook of which one part, chosen by chance, was altered by one character. */
export function tamperedWebhook<Parts extends WebhookParts>(
  webhook: Parts,
  random: () => number,
): Parts & { readonly tampered: TamperedPart } {
  const parts = ["body", "signature", "timestamp"] as const;
  const tampered = parts[Math.floor(random() * parts.length)] ?? "body";
  const name = tampered === "body" ? undefined : headerName(webhook, tampered);
  if (name === undefined) {
    return { ...webhook, tampered: "body", body: altered(webhook.body, random) };
  }
  const headers = { ...webhook.headers, [name]: altered(webhook.headers[name] ?? "", random) };
  return { ...webhook, tampered, headers };
}

/** A webhook that is signed as it should be, but `byMs` milliseconds earlier than it was. */
export function staleWebhook<Parts extends WebhookParts>(
  webhook: Parts,
  { secret, byMs }: { readonly secret: string; readonly byMs: number },
): Parts {
  return signedAnew(webhook, secret, timestampOf(webhook) - byMs);
}

/** A webhook that somebody signed who does not know the secret. */
export function strangersWebhook<Parts extends WebhookParts>(webhook: Parts): Parts {
  return signedAnew(webhook, "whsec_of_somebody_else", timestampOf(webhook));
}

function signedAnew<Parts extends WebhookParts>(
  webhook: Parts,
  secret: string,
  timestampMs: number,
): Parts {
  const headerPrefix =
    headerName(webhook, "signature")?.slice(0, -"-signature".length) ?? defaultHeaderPrefix;
  const { body } = webhook;
  const timestamp = new Date(Math.max(timestampMs, 0));
  const { headers } = signWebhook({ body, secret, headerPrefix, timestamp });
  const signed = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const others = Object.entries(webhook.headers).filter(
    ([name]) => !signed.has(name.toLowerCase()),
  );
  return { ...webhook, headers: { ...headers, ...Object.fromEntries(others) } };
}

function timestampOf(webhook: WebhookParts): number {
  const name = headerName(webhook, "timestamp");
  return parseTimestamp((name && webhook.headers[name]) ?? "") ?? Date.now();
}

/** Under any prefix, in any case. */
function headerName({ headers }: WebhookParts, end: string): string | undefined {
  return Object.keys(headers).find((name) => name.toLowerCase().endsWith(`-${end}`));
}

/** The text with one character made a digit that it was not, which means something else anywhere. */
function altered(text: string, random: () => number): string {
  const characters = [...text];
  const position = Math.floor(random() * characters.length);
  characters[position] = characters[position] === "0" ? "1" : "0";
  return characters.join("");
}

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
