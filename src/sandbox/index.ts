/**
 * A complete local sandbox of the service, for tests and development.
 *
 * @module settlekit/sandbox
 */

export type { Duration, DurationUnit } from "../duration.ts";
export type { Payment, PaymentStatus } from "../wire/payment.ts";
export type { WebhookEvents } from "../wire/webhook-event.ts";
export type { Withdrawal, WithdrawalStatus } from "../wire/withdrawal.ts";
export { createSandbox } from "./create-sandbox.ts";
export type {
  Cause,
  ClockAdvanced,
  DueEvent,
  FaultMet,
  PaymentCreated,
  PaymentExpired,
  PaymentMoved,
  QuotesExpired,
  RequestEntry,
  RequestOutcome,
  SandboxEvent,
  SandboxListener,
  SandboxReset,
  TimelineEntry,
  WebhookAttempted,
  WebhookCreated,
  WithdrawalCreated,
  WithdrawalMoved,
} from "./events.ts";
export type {
  AnswerFault,
  Fault,
  FaultOptions,
  FaultRoute,
  Frequency,
  LatencyFault,
  Occasions,
  RateLimit,
  ResetFault,
  TruncationFault,
} from "./faults/fault.ts";
export type { SandboxFaults, WaitingFault } from "./faults/faults.ts";
export type { Dialect, MerchantOptions, SandboxLimits, SandboxOptions } from "./options.ts";
export type { Seed } from "./random.ts";
export type { ReceivedAnswer, ReceivedRequest } from "./request-log.ts";
export type { DroppedCounts, Sandbox } from "./sandbox.ts";
export type { ListenOptions, SandboxServer } from "./server.ts";
export type { WithdrawalIdempotency } from "./service/idempotency.ts";
export type { SandboxMerchant } from "./service/merchants.ts";
export type {
  PaymentScenario,
  SandboxPayments,
  SimulateOptions,
} from "./service/payment-scenarios.ts";
export type {
  ScenarioSteps,
  Simulated,
  UpcomingPaymentStep,
  UpcomingStep,
  UpcomingWithdrawalStep,
} from "./service/scenarios.ts";
export type {
  SandboxWithdrawals,
  SimulateWithdrawalOptions,
  WithdrawalScenario,
} from "./service/withdrawal-scenarios.ts";
export type { SandboxSnapshot, SavedSandbox } from "./state/state.ts";
export type { SandboxClock } from "./time/clock.ts";
export type {
  ReplayOptions,
  SandboxWebhooks,
  WebhookAttempt,
  WebhookData,
  WebhookDelivery,
} from "./webhooks/delivery.ts";
export type {
  Disorder,
  DisorderKind,
  DisorderOptions,
  WaitingDisorder,
} from "./webhooks/disorder.ts";
export type { Deliver, WebhookAnswer, WebhookMessage } from "./webhooks/endpoint.ts";
