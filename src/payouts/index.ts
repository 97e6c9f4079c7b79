/**
 * A ledger of payouts on the merchant's own database: each is sent once, within limits, even if processes crash.
 *
 * @module settlekit/payouts
 */
export {
  ConfigurationError,
  IdempotencyConflictError,
  InvalidRequestError,
  NotFoundError,
  SettlekitError,
  StoreError,
} from "../errors.ts";
export type { EventLogger as PayoutsLogger } from "../stores/observers.ts";
export type { Store, StoreMode } from "../stores/store.ts";
export type { DueOptions, RunningWorker as PayoutsWorker } from "../stores/worker.ts";
export type { NeverSentResolution, Resolution, SentResolution } from "./decide.ts";
export type {
  PayoutChangedEvent,
  PayoutDoubtEvent,
  PayoutFencedEvent,
  PayoutsEvent,
  PayoutsFailedEvent,
  PayoutsStoppedEvent,
  PayoutWaitingEvent,
} from "./events.ts";
export type { JournalEntry } from "./journal.ts";
export type {
  Decision,
  PayoutInput,
  PayoutLimits,
  PayoutListQuery,
  PayoutsClient,
  PayoutsInbox,
  PayoutsOptions,
  PlanOptions,
} from "./options.ts";
export type { Payout, PayoutState } from "./payout.ts";
export { createPayouts, type Payouts } from "./payouts.ts";
export type { PayoutsStats } from "./stats.ts";
export type { Verification } from "./verify.ts";
export type { PayoutsStartOptions } from "./worker.ts";
