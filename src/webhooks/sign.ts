import { ConfigurationError } from "../errors.ts";
import { checkOptionNames, isRecord, nodeModule } from "../values.ts";
import { nodeHmacHex } from "./crypto.ts";
import type { WebhookEventName, WebhookOf } from "./event.ts";
import { type Field, fieldNames, type WebhookHints } from "./headers.ts";
import { checkOption, readHeaderPrefix, secretKey, type WebhookSecret } from "./options.ts";

/** An event to sign. `data` is typed for the known names, and any object for others. */
export interface SignableEvent<Name extends string = string> {
  readonly event: Name;
  readonly data: Name extends WebhookEventName ? WebhookOf<Name>["data"] : object;
}

/** The event to sign, or a body to sign unchanged. */
export type SignWebhookOptions<Name extends string = string> = {
  readonly secret: WebhookSecret;
  /** Default: now. A Date is written in Unix seconds; text and numbers are sent unchanged. */
  readonly timestamp?: Date | string | number | undefined;
  /** Default: the environment variable SETTLEKIT_HEADER_PREFIX, else `X-Service`. */
  readonly headerPrefix?: string | undefined;
  /** Identifiers for the headers outside the signature. Default: none. */
  readonly hints?: WebhookHints | undefined;
} & (
  | { readonly event: SignableEvent<Name>; readonly body?: undefined }
  | {
      /** Sent unchanged in place of an event, for example to test a body that is not JSON. */
      readonly body: string;
      readonly event?: SignableEvent<Name> | undefined;
    }
);

/** A delivery, signed as the service signs (interface section 6). */
export interface SignedWebhook {
  readonly body: string;
  readonly headers: Record<string, string>;
  /** The delivery as a Web Request. */
  request(url: string | URL): Request;
}

/**
 * Signs a webhook as the service does (interface section 6), to test a receiver.
 *
 * @throws {ConfigurationError} when an option is invalid, and on platforms without node:crypto.
 * @example
 * ```ts
 * const event = { event: "payment.updated", data: { status: "completed", orderId: "order_1" } } as const;
 * const response = await handler(signWebhook({ event, secret }).request("https://shop.example/webhooks"));
 * ```
 */
export function signWebhook<const Name extends WebhookEventName | (string & {})>(
  options: SignWebhookOptions<Name>,
): SignedWebhook {
  checkOptionNames(options, ["secret", "event", "body", "timestamp", "headerPrefix", "hints"]);
  const { event, body = JSON.stringify(event), timestamp = new Date(), hints = {} } = options;
  checkOptionNames(hints, ["endpointId", "eventId", "deliveryId"]);
  checkOption("event", isRecord(event) || "body" in options, "an event, unless a body is given");
  checkOption("body", typeof body === "string", "a string");
  const headerPrefix = readHeaderPrefix(options.headerPrefix);
  const nodeCrypto = nodeModule("node:crypto");
  if (nodeCrypto === undefined) {
    throw new ConfigurationError("signWebhook needs node:crypto. Use it on a server.", {
      code: "unsupported_platform",
    });
  }
  const key = secretKey(options.secret);
  const sent = timestamp instanceof Date ? Math.floor(Number(timestamp) / 1000) : timestamp;
  const timestampText = String(sent);
  checkOption("timestamp", timestampText !== "NaN", "a valid Date, a number or a string");
  const signature = nodeHmacHex(nodeCrypto, key, `${timestampText}.`, body);
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  const fields = Object.entries({ signature, timestamp: timestampText, ...hints });
  for (const [field, value] of fields as [Field, string | undefined][]) {
    if (value !== undefined) headers[`${headerPrefix}-${fieldNames[field]}`] = value;
  }
  return { body, headers, request: (url) => new Request(url, { method: "POST", headers, body }) };
}
