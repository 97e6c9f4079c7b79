import {
  type Outcome,
  type PaymentStatus,
  type PaymentType,
  type SafeVerifyResult,
  signWebhook,
  type WebhookFailureReason,
  Webhooks,
  WebhookVerificationError,
  type WithdrawalStatus,
} from "settlekit/webhooks";
import { type Equal, sameType } from "./equal.ts";

declare function use(...values: readonly unknown[]): void;

export const webhooks = new Webhooks({ secret: ["new", "old"], toleranceSeconds: 60 })
  .on("payment.updated", async ({ event, data, timestamp, deliveryKey }) => {
    sameType<Equal<typeof event, "payment.updated">>();
    sameType<Equal<typeof timestamp, Date>>();
    sameType<Equal<typeof deliveryKey, string>>();
    const orderId: string | null | undefined = data.orderId;
    sameType<Equal<typeof data.status, PaymentStatus>>();
    sameType<Equal<typeof data.type, PaymentType | undefined>>();
    use(orderId, data.status === "completed");
  })
  .on("withdrawal.updated", ({ data }) => {
    sameType<Equal<typeof data.status, WithdrawalStatus>>();
    use(data.status === "failed");
  })
  .on("payment.refunded", ({ data }) => {
    sameType<Equal<typeof data, Record<string, unknown>>>();
  })
  .on("*", (webhook) => {
    if (webhook.event === "payment.created") use(webhook.data.status);
    // Seen in event logs, but not documented.
    if (webhook.event === "payment.failed") {
      sameType<Equal<typeof webhook.data, Record<string, unknown>>>();
    }
    // @ts-expect-error such a name is rather a typo
    use(webhook.event === "payment.updatd");
    const name: string = webhook.event;
    use(name === "payment.refunded");
  });

// @ts-expect-error options are spelt exactly
new Webhooks({ secret: "s", tolerance: 60 });

export const POST: (request: Request) => Promise<Response> = webhooks.fetchHandler();

export async function receive(
  body: string,
  headers: Headers,
): Promise<WebhookFailureReason | "ok"> {
  const result = await webhooks.safeVerify({ body, headers });
  sameType<Equal<typeof result, SafeVerifyResult>>();
  // @ts-expect-error there is no webhook until `ok` is checked
  use(result.webhook);
  if (!result.ok) {
    sameType<Equal<typeof result.reason, WebhookFailureReason>>();
    return result.reason;
  }
  const { webhook } = result;
  if (webhook.event === "withdrawal.created") use(webhook.data.status);
  try {
    webhooks.verifySync({ body: new Uint8Array(), headers: { "x-service-signature": ["a"] } });
  } catch (error) {
    if (WebhookVerificationError.is(error)) {
      sameType<Equal<typeof error.outcome, Outcome>>();
      return error.reason;
    }
  }
  // @ts-expect-error a parsed body is not a raw body
  await webhooks.verify({ body: { event: "payment.updated" }, headers });
  return "ok";
}

const signed = signWebhook({
  event: { event: "payment.updated", data: { orderId: "order_1", status: "completed" } },
  secret: "s",
});
export const request: Request = signed.request("https://shop.example/webhooks");
