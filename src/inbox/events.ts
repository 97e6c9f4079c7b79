import type { EventLogger } from "../stores/observers.ts";
import { show } from "../values.ts";
import type { SubjectKind } from "./subject.ts";

/** A subject or a task that an event is about. */
export interface InboxItem {
  readonly tenant: string;
  readonly kind: SubjectKind | "task";
  /** The service's id of the payment or withdrawal, or the task's key. */
  readonly id: string;
}

/** A piece of work that a worker does. */
export interface InboxStep extends InboxItem {
  /** The W3C trace contexts that led to it, newest first, with spaces between them. */
  readonly causes: string | null;
}

/** A verified webhook is durable; its 200 is about to be sent. */
export interface AcceptedEvent {
  readonly type: "accepted";
  readonly tenant: string;
  /** The name of the webhook's event. */
  readonly event: string;
  /** Undefined for an event that settlekit does not know. */
  readonly kind: SubjectKind | undefined;
  /** The service's id; undefined where the webhook has none. */
  readonly id: string | undefined;
}

/** A worker took rows to work on. */
export interface ClaimedEvent {
  readonly type: "claimed";
  readonly subjects: number;
  readonly tasks: number;
}

/** A subject was settled, or a task is done. */
export interface SettledEvent extends InboxItem {
  readonly type: "settled";
  /** The status that the service gave; undefined for a task. */
  readonly status: string | undefined;
  /** The effects that ran. */
  readonly effects: readonly string[];
}

/** It failed and is tried again. */
export interface RetriedEvent extends InboxItem {
  readonly type: "retried";
  readonly error: unknown;
  /** Failures in a row. */
  readonly failures: number;
  /** When, in milliseconds from now. */
  readonly inMs: number;
}

/** It waits for a person: see `inbox.parked()`. */
export interface ParkedEvent extends InboxItem {
  readonly type: "parked";
  readonly reason: string;
}

/** Another worker has taken over, and nothing of this one's work was committed. */
export interface FencedEvent extends InboxItem {
  readonly type: "fenced";
}

/** A list of the service was walked. */
export interface ReconciledEvent {
  readonly type: "reconciled";
  readonly tenant: string;
  readonly kind: SubjectKind;
  readonly listed: number;
  /** Changes that no webhook reported. */
  readonly missed: number;
}

/**
 * The worker itself failed, for example because the database is away, or nothing that it works on ends, or a list of the
 * service could not be walked. It goes on by itself.
 */
export interface FailedEvent {
  readonly type: "failed";
  /** Whose list could not be walked. */
  readonly tenant?: string;
  /** Which list. */
  readonly kind?: SubjectKind;
  readonly error: unknown;
}

/** What `onEvent` is told. */
export type InboxEvent =
  | AcceptedEvent
  | ClaimedEvent
  | SettledEvent
  | RetriedEvent
  | ParkedEvent
  | FencedEvent
  | ReconciledEvent
  | FailedEvent;

/** What the logger is told. */
export function log(event: InboxEvent, logger: EventLogger): void {
  if (event.type === "retried") {
    const { kind, id, inMs, error } = event;
    const seconds = Math.ceil(inMs / 1_000);
    logger.warn(`Settling ${kind} ${id} failed; next attempt in ${seconds} s.`, error);
  } else if (event.type === "parked") {
    const { kind, id, reason } = event;
    logger.error(`The ${kind} ${id} is parked; inbox.parked() lists it. ${reason}`);
  } else if (event.type === "failed") {
    const { kind, tenant, error } = event;
    const what = kind === undefined ? "The inbox failed" : `The ${kind} list could not be walked`;
    const whose = tenant ? ` for tenant ${show(tenant)}` : "";
    logger.error(`${what}${whose}; it will be tried again.`, error);
  }
}
