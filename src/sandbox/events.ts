import type { WebhookEvents } from "../wire/webhook-event.ts";
import type { Fault, FaultRoute } from "./faults/fault.ts";
import type { WebhookAttempt, WebhookDelivery } from "./webhooks/delivery.ts";

/** An event of a sandbox, in `sandbox.on`, the timeline, the inspector, `clock.advance` and the command line. */
export type SandboxEvent = TimelineEntry | SandboxReset;

/** An event that the timeline keeps. A reset is not kept: it empties the timeline. */
export type TimelineEntry =
  | RequestEntry
  | FaultMet
  | ClockAdvanced
  | PaymentCreated
  | PaymentMoved
  | PaymentExpired
  | QuotesExpired
  | WithdrawalCreated
  | WithdrawalMoved
  | WebhookCreated
  | WebhookAttempted;

const eventTypeNames: Readonly<Record<SandboxEvent["type"], true>> = {
  request: true,
  "fault.met": true,
  "clock.advanced": true,
  "payment.created": true,
  "payment.moved": true,
  "payment.expired": true,
  "quotes.expired": true,
  "withdrawal.created": true,
  "withdrawal.moved": true,
  "webhook.created": true,
  "webhook.attempted": true,
  reset: true,
};

/** The type of every event. The part before the dot is its kind. */
export const eventTypes: readonly string[] = Object.keys(eventTypeNames);

/** An event caused by the passing of time. */
export type DueEvent =
  | PaymentMoved
  | PaymentExpired
  | QuotesExpired
  | WithdrawalMoved
  | WebhookAttempted;

interface EventBasics {
  /** Only ever increases; a reset does not restart it. */
  readonly sequence: number;
  /** The sandbox's time, ISO 8601, UTC. */
  readonly at: string;
}

/** The cause of an event. Both fields are null if a scenario caused it, or if time passed without `clock.advance`. */
export interface Cause {
  /** The `requestId` of the request. */
  readonly requestId: string | null;
  /** Sequence number of the `clock.advanced` event. */
  readonly clockSequence: number | null;
}

/**
 * The outcome of a request: `open` (none yet), `answered`, or a connection that broke before (`unanswered`) or during
 * the response (`cut off`), because of a fault or because the client disconnected.
 */
export type RequestOutcome = "open" | "answered" | "unanswered" | "cut off";

/** A request to the service. Emitted when it arrives and, under the same sequence number, when its outcome changes. */
export interface RequestEntry extends EventBasics {
  readonly type: "request";
  /** The response's `X-Request-Id`. `sandbox.requests()` has the details under the same id. */
  readonly requestId: string;
  readonly method: string;
  /** Including the query, as sent. */
  readonly path: string;
  readonly outcome: RequestOutcome;
  /** HTTP status of the response; null while there is none, and if the connection broke before it. */
  readonly status: number | null;
}

/** A fault was applied to a request. */
export interface FaultMet extends EventBasics {
  readonly type: "fault.met";
  readonly requestId: string;
  /** Null for the rate limit. */
  readonly route: FaultRoute | null;
  readonly fault: Fault;
}

/** The clock was advanced, starting at `at`. */
export interface ClockAdvanced extends EventBasics {
  readonly type: "clock.advanced";
  /** ISO 8601, UTC. */
  readonly until: string;
}

/** A change that a webhook reports to the merchant. */
export interface Announced {
  /** The webhook event's id. */
  readonly eventId: string;
  /** The webhook event's name, such as `payment.updated`. */
  readonly event: keyof WebhookEvents;
}

interface PaymentState extends EventBasics, Cause {
  readonly paymentId: string;
  readonly orderId: string;
  readonly status: string;
}

/** A payment or a deposit was created. */
export interface PaymentCreated extends PaymentState, Announced {
  readonly type: "payment.created";
}

/** The payment's status or its number of confirmations changed. */
export interface PaymentMoved extends PaymentState {
  readonly type: "payment.moved";
  /** Number of confirmations; null if no money arrived. */
  readonly confirmations: number | null;
  /** Required number of confirmations; null if no money arrived. */
  readonly requiredConfirmations: number | null;
  /** Null if only the confirmations changed, which sends no webhook. */
  readonly eventId: string | null;
  /** `payment.updated`, or null if only the confirmations changed. */
  readonly event: keyof WebhookEvents | null;
}

/** The payment was not paid in time. */
export interface PaymentExpired extends PaymentState, Announced {
  readonly type: "payment.expired";
}

/** A payment's quotes expired; the payment itself is still open. */
export interface QuotesExpired extends EventBasics, Cause {
  readonly type: "quotes.expired";
  readonly paymentId: string;
  readonly orderId: string;
  readonly quoteIds: readonly string[];
}

interface WithdrawalState extends EventBasics, Cause, Announced {
  readonly withdrawalId: string;
  readonly orderId: string | null;
  readonly status: string;
}

/** A withdrawal was created. */
export interface WithdrawalCreated extends WithdrawalState {
  readonly type: "withdrawal.created";
}

/** The withdrawal's status changed. */
export interface WithdrawalMoved extends WithdrawalState {
  readonly type: "withdrawal.moved";
}

interface WebhookState extends EventBasics {
  readonly deliveryId: string;
  /** Such as `payment.updated`. */
  readonly event: string;
  /** Id of the payment or withdrawal. */
  readonly subjectId: string;
  /** The order of the payment or withdrawal. */
  readonly orderId: string | null;
}

/** A delivery was created; its details are in `webhooks.deliveries()`. */
export interface WebhookCreated extends WebhookState {
  readonly type: "webhook.created";
  /** The webhook event's id: the `eventId` of the change that it reports. */
  readonly eventId: string;
}

/** A delivery was attempted, successfully or not. */
export interface WebhookAttempted
  extends WebhookState,
    Pick<WebhookAttempt, "status" | "error" | "disorder">,
    Pick<WebhookDelivery, "nextAttemptAt"> {
  readonly type: "webhook.attempted";
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** A reset, a restored snapshot or a loaded state replaced everything that earlier events describe. */
export interface SandboxReset {
  readonly type: "reset";
}

/** The payment or withdrawal that an event is about. */
export function subjectOf(event: SandboxEvent): string | undefined {
  if ("paymentId" in event) return event.paymentId;
  if ("withdrawalId" in event) return event.withdrawalId;
  return "subjectId" in event ? event.subjectId : undefined;
}

/** Listens to events of one type, or to all of them with `*`. */
export type SandboxListener<Type extends SandboxEvent["type"] | "*"> = (
  event: Type extends "*" ? SandboxEvent : Extract<SandboxEvent, { readonly type: Type }>,
) => void;
