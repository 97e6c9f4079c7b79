import { type EventLogger, ofTenant } from "../stores/observers.ts";
import type { Payout } from "./payout.ts";

/** A payout reached a new state, and its row is committed. */
export interface PayoutChangedEvent {
  readonly type: "changed";
  readonly tenant: string;
  readonly payout: Payout;
}

/** It is unknown whether a request took effect. The ledger will find out by itself. */
export interface PayoutDoubtEvent {
  readonly type: "doubt";
  readonly tenant: string;
  readonly orderId: string;
  readonly error: unknown;
}

/** Limits hold the payout back. */
export interface PayoutWaitingEvent {
  readonly type: "waiting";
  readonly tenant: string;
  readonly orderId: string;
  readonly reason: string;
  readonly until: Date;
}

/** Another worker took over, and this one sent nothing. */
export interface PayoutFencedEvent {
  readonly type: "fenced";
  readonly tenant: string;
  readonly orderId: string;
}

/** The breaker has opened: nothing is sent for this tenant until `reopen`. */
export interface PayoutsStoppedEvent {
  readonly type: "stopped";
  readonly tenant: string;
  readonly reason: string;
}

/** A step failed, for example because the service or the database is unavailable. It will be retried. */
export interface PayoutsFailedEvent {
  readonly type: "failed";
  readonly tenant: string;
  /** Undefined when the worker itself failed. */
  readonly orderId: string | undefined;
  readonly error: unknown;
}

/** A payout that a worker is processing. */
export interface PayoutStep {
  readonly orderId: string;
  readonly state: Payout["state"];
}

/** The events that `onEvent` receives. */
export type PayoutsEvent =
  | PayoutChangedEvent
  | PayoutDoubtEvent
  | PayoutWaitingEvent
  | PayoutFencedEvent
  | PayoutsStoppedEvent
  | PayoutsFailedEvent;

/** A file in the package, under `node_modules`. */
const runbook = "settlekit/docs/payout-decisions.md";

/** Writes an event to the logger. */
export function log(event: PayoutsEvent, logger: EventLogger): void {
  const whose = ofTenant(event.tenant);
  if (event.type === "stopped") {
    logger.error(
      `All payouts${whose} are stopped. ${event.reason} See ${runbook} before you reopen them.`,
    );
  } else if (event.type === "changed" && event.payout.state === "needs_decision") {
    const { orderId, problem } = event.payout;
    logger.error(`The payout ${orderId}${whose} needs a decision. ${problem} See ${runbook}.`);
  } else if (event.type === "doubt") {
    const { orderId, error } = event;
    logger.warn(`The payout ${orderId}${whose} is in doubt; the ledger will find out.`, error);
  } else if (event.type === "failed") {
    const { orderId, error } = event;
    const what = orderId === undefined ? "The payout worker" : `A step of payout ${orderId}`;
    logger.warn(`${what}${whose} failed; it will be retried.`, error);
  }
}
