import type { Observers } from "../stores/observers.ts";
import { type Store, sql, type Work } from "../stores/store.ts";
import { thrownText } from "../values.ts";
import type { Payment } from "../wire/payment.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import {
  backoffMs,
  type Claim,
  claimSubject,
  fail,
  forgetUntold,
  leaseMs,
  putBack,
  type Queue,
  release,
  type SubjectClaim,
  subjectQueue,
} from "./claims.ts";
import type { Effects } from "./effects.ts";
import type { InboxEvent, InboxStep, SettledEvent } from "./events.ts";
import { fetchByOrderId, fetchSubject, isUnknownSubject, Unreachable } from "./fetch.ts";
import { keepingLease } from "./lease.ts";
import { noteNews } from "./news.ts";
import type { checkSubject } from "./options.ts";
import { runOnce, tookTooLong } from "./run-effect.ts";
import { type InboxClient, reachedAt, stateOf } from "./subject.ts";

/** The shared context of an inbox's parts. */
export interface InboxContext {
  readonly store: Store;
  readonly effects: Effects;
  readonly clientOf: (tenant: string) => InboxClient;
  readonly report: (event: InboxEvent) => void;
  readonly observers: Observers<InboxEvent, InboxStep>;
}

/** Another worker took over the row; this worker's transaction must not commit. */
export class Fenced extends Error {}

/** Why a subject or task is retried. Wrapped, because effects may throw `undefined`. */
export interface Failure {
  readonly error: unknown;
  /** The effects that failed. */
  readonly effects: readonly string[];
  /** Whether the service cannot be read at all. */
  readonly isOutage?: boolean;
}

class EffectsFailed extends Error {
  readonly failure: Failure;

  constructor(failed: ReadonlyMap<string, unknown>) {
    super();
    const [...errors] = failed.values();
    const effects = [...failed.keys()];
    const texts = effects.map((name) => `${name}: ${thrownText(failed.get(name))}`);
    const error = errors.length === 1 ? errors[0] : new AggregateError(errors, texts.join("; "));
    this.failure = { error, effects };
  }
}

/** A row that this worker has claimed. */
interface Claimed {
  readonly context: InboxContext;
  readonly queue: Queue<Claim>;
  readonly claim: Claim;
}

interface Step extends Claimed {
  readonly stopped: AbortSignal;
  /** Whether it has deleted the row, so that nothing is retried. The error is then thrown. */
  readonly forget?: ((error: unknown) => Promise<boolean>) | undefined;
}

/** Processes a subject or task while renewing its lease, and reports the result. Returns the failure, if any. */
export function workOn(
  step: Step,
  work: (lost: AbortSignal) => Promise<Pick<SettledEvent, "status" | "effects">>,
): Promise<Failure | undefined> {
  const { context, queue, claim, stopped, forget } = step;
  const { store, observers, report } = context;
  const item = queue.itemOf(claim);
  return observers.around({ ...item, causes: claim.causes }, async () => {
    try {
      const settled = await keepingLease(store, queue, claim, stopped, work);
      report({ type: "settled", ...item, ...settled });
      return undefined;
    } catch (error) {
      const failure = failureOf(error);
      if (error instanceof Fenced) report({ type: "fenced", ...item });
      else if (stopped.aborted) await store.transaction(() => release(queue, claim));
      else if (await forget?.(error)) throw error;
      else if (failure.isOutage) await returnUnread(step, failure);
      else await retryLater(step, failure);
      return failure;
    }
  });
}

function failureOf(error: unknown): Failure {
  if (error instanceof EffectsFailed) return error.failure;
  if (error instanceof Unreachable) return { error: error.cause, effects: [], isOutage: true };
  return { error, effects: [] };
}

/**
 * Settles a subject that a call named; false while another worker holds it. If the service does not know it, and no
 * webhook or list named it, it is forgotten.
 */
export async function settleNamed(
  context: InboxContext,
  { tenant, kind, id }: ReturnType<typeof checkSubject>,
): Promise<boolean> {
  const { store } = context;
  const work = function* () {
    yield* noteNews({ tenant, kind, subject: id });
    return yield* claimSubject(tenant, kind, id);
  };
  const claim = await store.transaction(work, { wake: "inbox" });
  if (claim === undefined) return false;
  const forget = async (error: unknown) =>
    isUnknownSubject(error) && store.transaction(() => forgetUntold(claim));
  const failure = await settleSubject(context, claim, new AbortController().signal, forget);
  if (failure === undefined) return true;
  if (failure.error instanceof Fenced) return false;
  throw failure.error;
}

/** Reads the current status from the service, and runs the effects that have not run for it yet. */
export function settleSubject(
  context: InboxContext,
  claim: SubjectClaim,
  stopped: AbortSignal,
  forget?: Step["forget"],
): Promise<Failure | undefined> {
  return workOn({ context, queue: subjectQueue, claim, stopped, forget }, async () =>
    claim.by_order
      ? settleOrder(context, claim, stopped)
      : settleFetched(context, claim, await fetchSubject(context.clientOf, claim, stopped)),
  );
}

/** Finds the subjects of a webhook without an id, and marks them as changed. */
async function settleOrder(
  { store, clientOf }: InboxContext,
  claim: SubjectClaim,
  signal: AbortSignal,
) {
  const { tenant, kind, signed_rank: rank, causes } = claim;
  const found = await fetchByOrderId(clientOf, claim, signal);
  // With several matches, the signature does not say which one is meant, and a rank would hold up the others.
  const signed = found.length === 1 ? rank : 0;
  await store.transaction(function* () {
    for (const { id } of found) {
      yield* noteNews({ tenant, kind, subject: id, rank: signed, byWebhook: true, causes });
    }
    yield* finish(claim, null, null);
  });
  return { status: undefined, effects: [] };
}

/** Runs each effect in its own transaction, so that one failure does not stop the others. */
async function settleFetched(
  context: InboxContext,
  claim: SubjectClaim,
  subject: Payment | Withdrawal,
) {
  const { store, effects } = context;
  const { kind } = claim;
  const { status } = subject;
  const state = stateOf(kind, status);
  const isNew = claim.status === null || stateOf(kind, claim.status) !== state;
  const known = isNew ? firstKnownAt(claim, subject) : claim.status_at;
  const due = effects.matching(kind, state);
  const done: string[] = [];
  const failed = new Map<string, unknown>();
  const run = async (effect: (typeof due)[number], isLast: boolean) => {
    const limit = { ms: leaseMs, error: tookTooLong(kind, effect.name) };
    const work = function* (): Work<boolean> {
      const startedAt = yield* runOnce(context, claim, subject, effect, known);
      const now = isLast
        ? yield* finish(claim, status, known, startedAt)
        : yield* keep(claim, startedAt);
      // Effects on SQLite cannot be interrupted.
      if (startedAt !== null && now - startedAt > leaseMs) throw limit.error;
      return startedAt !== null;
    };
    if (await store.transaction(work, { limit })) done.push(effect.name);
  };
  for (const [index, effect] of due.entries()) {
    try {
      await run(effect, index === due.length - 1 && failed.size === 0);
    } catch (error) {
      if (error instanceof Fenced) throw error;
      failed.set(effect.name, error);
    }
  }
  if (failed.size > 0) throw new EffectsFailed(failed);
  if (due.length === 0) await store.transaction(() => finish(claim, status, known));
  return { status, effects: done };
}

/** Since when the status is known. Null means now: a webhook reported it, or the service gives no time. */
function firstKnownAt(
  { kind, told_at, status }: SubjectClaim,
  subject: Payment | Withdrawal,
): number | null {
  const isFoundInList = told_at === null && status === null;
  return isFoundInList ? (reachedAt(kind, subject) ?? null) : null;
}

/**
 * Marks the news known at claim time as seen, if the claim still holds: its lease had not ended when the effect
 * started, and no other worker has taken over since. Returns the database's time.
 */
function* finish(
  claim: SubjectClaim,
  status: string | null,
  reached: number | null,
  startedAt: number | null = null,
): Work<number> {
  const [finished] = yield* sql<{ now: number }>(
    `UPDATE {inbox_subjects} SET seen = $3, status = $4, status_at = COALESCE($5, {now}), settled_at = {now},
  changed_at = {now},
  signed_rank = CASE WHEN news = $3 THEN 0 ELSE signed_rank END,
  causes = CASE WHEN news = $3 THEN NULL ELSE causes END,
  lease_until = 0, starts = 0, failures = 0, parked_at = NULL, problem = NULL
WHERE id = $1 AND fence = $2 AND lease_until > COALESCE($6, {now}) RETURNING {now} AS now`,
    [claim.id, claim.fence, claim.news, status, reached, startedAt],
  );
  if (finished === undefined) throw new Fenced();
  return finished.now;
}

/** Makes the same check and renews the lease, between the transactions of one claim. */
function* keep(claim: SubjectClaim, startedAt: number | null): Work<number> {
  const [kept] = yield* sql<{ now: number }>(
    `UPDATE {inbox_subjects} SET lease_until = {now} + $3
WHERE id = $1 AND fence = $2 AND lease_until > COALESCE($4, {now}) RETURNING {now} AS now`,
    [claim.id, claim.fence, leaseMs, startedAt],
  );
  if (kept === undefined) throw new Fenced();
  return kept.now;
}

/** Leaves a subject to workers that can read the service. */
async function returnUnread(
  { context: { store, report }, queue, claim }: Claimed,
  { error }: Failure,
): Promise<void> {
  const work = () => putBack(queue, claim, thrownText(error));
  const isHeld = await store.transaction(work, { wake: "inbox" });
  if (!isHeld) report({ type: "fenced", ...queue.itemOf(claim) });
}

/** Postpones failed work, or parks it, and reports it. */
export async function retryLater(
  { context: { store, report }, queue, claim }: Claimed,
  { error, effects }: Failure,
): Promise<void> {
  const item = queue.itemOf(claim);
  const failures = claim.failures + 1;
  const delayMs = backoffMs(failures, Math.random());
  const reason = [...(effects.length === 1 ? effects : []), thrownText(error)].join(": ");
  const failed = await store.transaction(() => fail(queue, claim, reason, delayMs));
  if (failed === undefined) report({ type: "fenced", ...item });
  else if (failed.isParked) report({ type: "parked", ...item, reason });
  else report({ type: "retried", ...item, error, effects, failures, waitMs: failed.waitMs });
}
