import { createHmac } from "node:crypto";
import {
  type WebhookInput,
  Webhooks,
  type WebhooksOptions,
  WebhookVerificationError,
} from "../../src/webhooks/index.ts";

export const secret = "whsec_t0p";
export const timestamp = "1700000000";
export const signedAt = new Date(1_700_000_000_000);
export const now = () => signedAt;

export const paymentUpdated = {
  event: "payment.updated",
  data: { status: "completed", orderId: "order_1" },
} as const;

/** Signs without settlekit, so that tests do not share its mistakes. */
export function hmacHex(key: string | Uint8Array, ...parts: (string | Uint8Array)[]): string {
  const hmac = createHmac("sha256", key);
  for (const part of parts) hmac.update(part);
  return hmac.digest("hex");
}

export interface Delivery<Body extends string | Uint8Array = string> {
  body: Body;
  headers: Record<string, string>;
}

/** A delivery with a valid signature over any body and timestamp, even malformed ones. */
export function delivery<Body extends string | Uint8Array = string>({
  body = JSON.stringify(paymentUpdated) as Body,
  timestampText = timestamp,
  key = secret as string | Uint8Array,
} = {}): Delivery<Body> {
  return {
    body,
    headers: {
      "x-service-signature": hmacHex(key, `${timestampText}.`, body),
      "x-service-timestamp": timestampText,
    },
  };
}

export function receiver(options: WebhooksOptions = {}): Webhooks {
  return new Webhooks({ secret, now, ...options });
}

/** A receiver on a platform without node:crypto. */
export function webCryptoReceiver(options: WebhooksOptions = {}): Webhooks {
  const { getBuiltinModule } = process;
  Object.assign(process, { getBuiltinModule: () => undefined });
  try {
    return receiver(options);
  } finally {
    Object.assign(process, { getBuiltinModule });
  }
}

/** Why a delivery is refused; undefined when it is accepted. */
export function refusal(webhooks: Webhooks, input: WebhookInput): string | undefined {
  try {
    webhooks.verifySync(input);
    return undefined;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
}
