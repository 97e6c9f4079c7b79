/**
 * Signed webhooks: verify, handle and answer them, on any platform and without the client.
 *
 * @module settlekit/webhooks
 */
export {
  ConfigurationError,
  type Outcome,
  SettlekitError,
  type WebhookFailureReason,
  WebhookVerificationError,
} from "../errors.ts";
export type { PaymentStatus, PaymentType } from "../wire/payment.ts";
export type {
  KnownEvents,
  PaymentEventData,
  WebhookEvents,
  WithdrawalEventData,
} from "../wire/webhook-event.ts";
export type { WithdrawalStatus } from "../wire/withdrawal.ts";
export type { WebhookBody } from "./body.ts";
export type { WebhookInput } from "./delivery.ts";
export type {
  UnknownEventName,
  UnknownWebhook,
  VerifiedDelivery,
  Webhook,
  WebhookEventName,
  WebhookOf,
} from "./event.ts";
export type { FetchHandler } from "./handlers/fetch.ts";
export type {
  LambdaEvent,
  LambdaEventV1,
  LambdaEventV2,
  LambdaHandler,
  LambdaResult,
} from "./handlers/lambda.ts";
export type { NodeHandler, NodeRequest, NodeResponse } from "./handlers/node.ts";
export type { WebhookHeaders, WebhookHints } from "./headers.ts";
export type { WebhookBranches } from "./match.ts";
export type {
  WebhookLogger,
  WebhookSecret,
  WebhookSecretProvider,
  WebhookSecrets,
  WebhooksOptions,
} from "./options.ts";
export type { WebhookEndEvent, WebhookStartEvent, WebhooksEvent } from "./reception.ts";
export {
  type SignableEvent,
  type SignedWebhook,
  type SignWebhookOptions,
  signWebhook,
} from "./sign.ts";
export { type SafeVerifyResult, type WebhookHandler, Webhooks } from "./webhooks.ts";
