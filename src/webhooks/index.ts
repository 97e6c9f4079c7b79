/**
 * Signed webhooks: verify, handle and answer them, on any platform and without the client.
 *
 * @module settlekit/webhooks
 */
export {
  ConfigurationError,
  SettlekitError,
  type WebhookFailureReason,
  WebhookVerificationError,
} from "../errors.ts";

export type {
  PaymentEventData,
  WebhookEvents,
  WithdrawalEventData,
} from "../wire/webhook-event.ts";
export type { WebhookInput } from "./delivery.ts";
export type { FetchHandler } from "./fetch-handler.ts";
export type { WebhookHeaders } from "./headers.ts";
export type {
  LambdaEvent,
  LambdaEventV1,
  LambdaEventV2,
  LambdaHandler,
  LambdaResult,
} from "./lambda-handler.ts";
export type { NodeRequest } from "./node-body.ts";
export type { NodeHandler, NodeResponse } from "./node-handler.ts";
export type { WebhookBody } from "./raw-body.ts";
export type { WebhookSecret, WebhookSecretProvider, WebhookSecrets } from "./secret.ts";
export type { WebhookLogger, WebhooksOptions } from "./settings.ts";
export {
  type SignableEvent,
  type SignedWebhook,
  type SignWebhookOptions,
  signWebhook,
} from "./sign-webhook.ts";
export type {
  KnownEvents,
  UnknownEventName,
  UnknownWebhook,
  VerifiedDelivery,
  Webhook,
  WebhookEventName,
  WebhookHints,
  WebhookOf,
} from "./webhook.ts";
export { type SafeVerifyResult, type WebhookHandler, Webhooks } from "./webhooks.ts";
