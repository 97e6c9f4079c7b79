import { type EventLogger, ofTenant } from "../stores/observers.ts";
import type { SubjectKind } from "./subject.ts";

/** The subject or task of an event. */
export interface InboxItem {
  readonly tenant: string;
  readonly kind: SubjectKind | "task";
  /** The payment's or withdrawal's id at the service, or the task's key. */
  readonly id: string;
}

/** A subject or task that a worker is processing. */
export interface InboxStep extends InboxItem {
  /** The W3C trace contexts that led to it, newest first, separated by spaces. */
  readonly causes: string | null;
}

/** A verified webhook was stored; its 200 is about to be sent. */
export interface AcceptedEvent {
  readonly type: "accepted";
  readonly tenant: string;
  /** The name of the webhook's event. */
  readonly event: string;
  /** The index of the configured secret that matched, from 0. */
  readonly secretIndex: number;
  /** Undefined for an unknown event. */
  readonly kind: SubjectKind | undefined;
  /** The service's id; undefined if the webhook has none. */
  readonly id: string | undefined;
}

/** A worker claimed rows. */
export interface ClaimedEvent {
  readonly type: "claimed";
  readonly subjects: number;
  readonly tasks: number;
}

/** A subject was settled, or a task is done. */
export interface SettledEvent extends InboxItem {
  readonly type: "settled";
  /** The status from the service; undefined for a task. */
  readonly status: string | undefined;
  /** The effects that ran. */
  readonly effects: readonly string[];
}

/** Work failed and will be retried. */
export interface RetriedEvent extends InboxItem {
  readonly type: "retried";
  /** The error that was thrown; an `AggregateError` if several effects failed. */
  readonly error: unknown;
  /** The effects that failed; empty if something else did. */
  readonly effects: readonly string[];
  /** Consecutive failures. */
  readonly failures: number;
  /** The wait before the retry, in milliseconds. */
  readonly waitMs: number;
}

/** Work is waiting for a person: see `inbox.parked()`. */
export interface ParkedEvent extends InboxItem {
  readonly type: "parked";
  readonly reason: string;
}

/** Another worker took over, and this one committed nothing. */
export interface FencedEvent extends InboxItem {
  readonly type: "fenced";
}

/** One of the service's lists was checked. */
export interface ReconciledEvent {
  readonly type: "reconciled";
  readonly tenant: string;
  readonly kind: SubjectKind;
  readonly listed: number;
  /** Changes that no webhook reported. */
  readonly missed: number;
}

/**
 * The worker itself failed, for example because the database is unavailable, none of its running work finishes, or the
 * service cannot be read. It recovers by itself.
 */
export interface FailedEvent {
  readonly type: "failed";
  /** The tenant that it is about. */
  readonly tenant?: string;
  /** The kind of object that could not be read from the service. */
  readonly kind?: SubjectKind;
  readonly error: unknown;
}

/** The events that `onEvent` receives. */
export type InboxEvent =
  | AcceptedEvent
  | ClaimedEvent
  | SettledEvent
  | RetriedEvent
  | ParkedEvent
  | FencedEvent
  | ReconciledEvent
  | FailedEvent;

/** Writes an event to the logger. */
export function log(event: InboxEvent, logger: EventLogger): void {
  if (event.type === "retried") {
    const { kind, id, tenant, waitMs, error, effects } = event;
    const seconds = Math.ceil(waitMs / 1_000);
    const where = effects.length === 0 ? "" : ` in ${effects.join(", ")}`;
    const what = `${kind} ${id}${ofTenant(tenant)}`;
    logger.warn(`Settling ${what} failed${where}; next attempt in ${seconds} s.`, error);
  } else if (event.type === "parked") {
    const { kind, id, tenant, reason } = event;
    const what = `The ${kind} ${id}${ofTenant(tenant)}`;
    logger.error(`${what} is parked; \`settlekit inbox parked\` lists it. ${reason}`);
  } else if (event.type === "failed") {
    const { kind, tenant, error } = event;
    const whose = ofTenant(tenant);
    const what = kind ? `Reading ${kind}s${whose} from the service` : `The inbox${whose}`;
    logger.error(`${what} failed; it will be retried.`, error);
  }
}
