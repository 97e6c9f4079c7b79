/**
 * A complete local sandbox of the service, for tests and development.
 *
 * @module settlekit/sandbox
 */
export type { SandboxClock } from "./clock.ts";
export { createSandbox } from "./create-sandbox.ts";
export type { Disorder, DisorderKind, DisorderOptions, WaitingDisorder } from "./disorder.ts";
export type { Duration, DurationUnit } from "./duration.ts";
export type {
  AnswerFault,
  Fault,
  LatencyFault,
  ResetFault,
  TruncationFault,
} from "./fault.ts";
export type { FaultRoute } from "./fault-route.ts";
export type { FaultOptions, SandboxFaults, WaitingFault } from "./faults.ts";
export type {
  Happening,
  IdempotencyEnded,
  PaymentExpired,
  PaymentMoved,
  QuotesExpired,
  WebhookAttempted,
  WithdrawalMoved,
} from "./happening.ts";
export type { SandboxMerchant } from "./merchants.ts";
export type { MerchantOptions, SandboxLimits, SandboxOptions } from "./options.ts";
export type {
  PaymentScenario,
  SandboxPayments,
  SimulateOptions,
  UpcomingPaymentStep,
} from "./payment-scenarios.ts";
export type { Seed } from "./random.ts";
export type { RateLimit } from "./rate-limit.ts";
export type { ReceivedAnswer, ReceivedRequest, RequestOutcome } from "./request-log.ts";
export type { DroppedCounts, Sandbox, WithdrawalIdempotency } from "./sandbox.ts";
export type { ReplayOptions, SandboxWebhooks } from "./sandbox-webhooks.ts";
export type { ScenarioSteps } from "./scenario-steps.ts";
export type { ListenOptions, SandboxServer } from "./server.ts";
export type { SandboxSnapshot, SavedSandbox } from "./state.ts";
export type {
  AttemptEntry,
  Cause,
  ChangeEntry,
  ClockEntry,
  ConfirmationEntry,
  QuotesEntry,
  RequestEntry,
  TimelineEntry,
  WebhookEntry,
} from "./timeline.ts";
export type { Occasions } from "./waiting-list.ts";
export type { WebhookAttempt, WebhookData, WebhookDelivery } from "./webhook-delivery.ts";
export type { Deliver, WebhookAnswer, WebhookMessage } from "./webhook-endpoint.ts";
export type {
  SandboxWithdrawals,
  SimulateWithdrawalOptions,
  UpcomingWithdrawalStep,
  WithdrawalScenario,
} from "./withdrawal-scenarios.ts";
