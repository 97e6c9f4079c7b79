/**
 * Webhooks processed once, durably, on the merchant's own database.
 *
 * @module settlekit/inbox
 */
export type { Duration, DurationUnit } from "../duration.ts";
export { ConfigurationError, NotFoundError, SettlekitError, StoreError } from "../errors.ts";
export type { EventLogger as InboxLogger } from "../stores/observers.ts";
export type { Store, StoreMode } from "../stores/store.ts";
export type { DueOptions, RunningWorker as InboxWorker } from "../stores/worker.ts";
export type {
  Effect,
  EffectOptions,
  EffectTools,
  SyncResult,
  TaskTools,
} from "./effects.ts";
export type {
  AcceptedEvent,
  ClaimedEvent,
  FailedEvent,
  FencedEvent,
  InboxEvent,
  InboxItem,
  ParkedEvent,
  ReconciledEvent,
  RetriedEvent,
  SettledEvent,
} from "./events.ts";
export { createInbox, type Inbox } from "./inbox.ts";
export type { Failing, InboxStats, Parked } from "./operate.ts";
export type { InboxOptions, SubjectRef, TenantOptions } from "./options.ts";
export type { Reconciled, ReconcileOptions } from "./reconcile.ts";
export type { InboxClient, SubjectKind, SubjectStates, Subjects } from "./subject.ts";
export type { StartOptions } from "./worker.ts";
