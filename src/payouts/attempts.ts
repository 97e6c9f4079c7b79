import type { PayoutBody } from "../resources/payouts/payout.ts";
import { sql, type Work } from "../stores/store.ts";
import type { PayoutsContext } from "./context.ts";
import type { Ledger } from "./journal.ts";
import { type Hold, holdOf, needsApproval } from "./limits.ts";
import { bodyOf, type PayoutRow, type PayoutState, storable, unsentState } from "./payout.ts";
import { requireRow } from "./plan.ts";
import { agreesWithJournal } from "./verify.ts";

/** How long a payout may be in doubt before a person has to decide. */
export const maxDoubtMs = 3_600_000;
/** The service remembers a key for 24 hours; this leaves one hour of margin. */
const keyedMs = 23 * 3_600_000;

/**
 * How an attempt ended. `rejected`: the service refused it. `limited`: a 429, which another copy of the request may
 * have received. `disproved`: a complete lookup showed that it did not take effect.
 */
export type AttemptOutcome =
  | "created"
  | "not_sent"
  | "rejected"
  | "limited"
  | "unknown"
  | "disproved";

/** Whether a request with this outcome may take effect, or have taken effect. */
export function mayTakeEffect(outcome: AttemptOutcome | null): boolean {
  return outcome !== "not_sent" && outcome !== "rejected";
}

interface Attempt {
  readonly fence: number;
  readonly started_at: number;
  readonly left_by: number;
  readonly outcome: AttemptOutcome | null;
  readonly withdrawal_id: string | null;
}

/** The facts about earlier attempts that decide the next one. */
export interface Past {
  /** The database's clock. */
  readonly now: number;
  /** A withdrawal that a response named. */
  readonly withdrawalId: string | undefined;
  /** How many requests may have been sent. */
  readonly requests: number;
  /** Before this time, a lookup is too early to show anything. */
  readonly lookAt: number;
  /** A lookup that begins after this time shows the effects of all requests. */
  readonly provenAt: number;
  /** Whether the key still makes a repetition harmless. */
  readonly isKeyAlive: boolean;
  /** Whether the last request was refused. A repetition would be refused, too, and show nothing about earlier ones. */
  readonly isRefused: boolean;
}

export function* readPast(payoutId: number, quietMs: number): Work<Past> {
  const [clock] = yield* sql<{ now: number }>("SELECT {now} AS now");
  const now = clock?.now ?? 0;
  const attempts = yield* sql<Attempt>(
    `SELECT fence, started_at, left_by, outcome, withdrawal_id FROM {payout_attempts}
WHERE payout_id = $1 ORDER BY fence`,
    [payoutId],
  );
  const requests = attempts.filter(({ outcome }) => mayTakeEffect(outcome));
  const lastLeft = Math.max(...requests.map(({ left_by }) => left_by), Number.NEGATIVE_INFINITY);
  const since = requests[0]?.started_at ?? now;
  return {
    now,
    withdrawalId:
      attempts.find(({ withdrawal_id }) => withdrawal_id !== null)?.withdrawal_id ?? undefined,
    requests: requests.length,
    lookAt: lastLeft + quietMs,
    // One quiet period to take effect, and another to be listed.
    provenAt: lastLeft + 2 * quietMs,
    // A time in the future comes from a clock that has been set back since.
    isKeyAlive: since <= now && now - since < keyedMs,
    isRefused: attempts.at(-1)?.outcome === "rejected",
  };
}

/** An attempt whose request may be sent now. */
export interface Begun {
  readonly kind: "begun";
  /** The request to send, from the journal. */
  readonly body: PayoutBody;
  /** Time since the request was allowed to leave. */
  readonly elapsedMs: () => number;
}

/**
 * Why no attempt was begun:
 * - `fenced`: another worker has the payout.
 * - `put_off`: it was released until it is due again.
 * - `held`: the same, because of the limits.
 * - `unknown_key`: the client's key has yet to be shown to be the tenant's merchant's.
 * - `listed`: the list has shown a withdrawal for the order, so it has to be searched.
 */
type NotBegun =
  | { readonly kind: "fenced" | "put_off" | "unknown_key" | "listed" }
  | { readonly kind: "held"; readonly hold: Hold };

/** How often to check a hold again: limits may be raised, and failed withdrawals return their budget. */
const holdMs = 600_000;
/** When to check again for an approval, a closed breaker or the end of a quiet time. */
const recheckMs = 5_000;

interface Beginning {
  /** When the complete lookup that found nothing began. */
  readonly lookedAt: number | undefined;
  /** The digest of the client's credential. */
  readonly sender: string;
}

/**
 * Commits everything that one request needs: its attempt under the claim's fence, its budget, the state `sending` and
 * the journal entry. Nothing is sent before that. A payout that may not be sent now is put off.
 */
export function* beginAttempt(
  ledger: Ledger,
  { client, tenant, limits, provenSenders, quietMs, leaveMs, leaseMs }: PayoutsContext,
  row: PayoutRow,
  { lookedAt, sender }: Beginning,
): Work<Begun | NotBegun> {
  const held = yield* sql(
    `UPDATE {payouts} SET lease_until = {now} + $3
WHERE id = $1 AND fence = $2 AND lease_until > {now} AND state IN ('planned', 'approved', 'sending') RETURNING id`,
    [row.id, row.fence, leaseMs],
  );
  if (held.length === 0) return { kind: "fenced" };
  const current = yield* requireRow(tenant, row.order_id);
  const past = yield* readPast(row.id, quietMs);
  // A response has arrived late. The next step reads its withdrawal.
  if (past.withdrawalId !== undefined) return yield* postpone(row, {});
  const later = { dueAt: past.now + recheckMs };
  // A lookup has shown that no earlier request took effect.
  const unsent = lookedAt === undefined ? {} : { state: unsentState(row) };
  const isProven = lookedAt !== undefined && lookedAt >= past.provenAt;
  const isRepetition = client.isKeyed && past.isKeyAlive;
  if (past.requests > 0 && !isRepetition && !isProven) return yield* postpone(row, later);
  if (!(yield* agreesWithJournal(ledger, current)))
    return yield* postpone(row, { ...later, ...unsent });
  if (needsApproval(limits, current.amount) && current.approved_by === null) {
    return yield* postpone(row, { ...later, ...unsent });
  }
  // From here on, only one process at a time decides about the breaker, the budget and the journal's end.
  const { now, stopped_at, merchant_id, sender: known } = yield* ledger.lock();
  if (stopped_at !== null) return yield* postpone(row, { ...later, ...unsent });
  const isProvenSender = known === sender || provenSenders.has(sender);
  if (merchant_id !== null && !isProvenSender) return { kind: "unknown_key" };
  // A reservation that no request can have used moves to the day of the next request, under that day's limits.
  const isReserved = current.reserved_at !== null && past.requests > 0 && !isProven;
  if (!isReserved) {
    const hold = yield* holdOf(tenant, limits, current, now);
    if (hold) {
      const dueAt = Math.min(hold.until, now + holdMs);
      yield* putOff(row, { dueAt, problem: hold.reason, waitsUntil: hold.until, ...unsent });
      return { kind: "held", hold };
    }
  }
  const isUnread = past.requests === 0 && lookedAt === undefined;
  if (isUnread && (yield* hasOther(tenant, row.order_id))) return { kind: "listed" };
  // The lock's time is from before any wait for it, which may have lasted beyond midnight.
  yield* sql(
    `UPDATE {payouts} SET state = 'sending', problem = NULL, waits_until = NULL,
  reserved_at = COALESCE($2, {now}), doubt_since = COALESCE(doubt_since, {now}) WHERE id = $1`,
    [row.id, isReserved ? current.reserved_at : null],
  );
  // Started after any wait for the lock, but before the database reads its clock.
  const elapsedMs = stopwatch();
  yield* sql(
    `INSERT INTO {payout_attempts} (payout_id, fence, started_at, left_by, sender) VALUES ($1, $2, {now}, {now} + $3, $4)`,
    [row.id, row.fence, leaveMs, sender],
  );
  const body = bodyOf(current);
  ledger.note(row.order_id, "sending", {
    attempt: current.attempts + 1,
    fence: row.fence,
    idempotencyKey: row.idempotency_key,
    body,
  });
  return { kind: "begun", body, elapsedMs };
}

/** Elapsed milliseconds, by whichever clock shows more: one of them stops while a machine is suspended. */
function stopwatch(): () => number {
  const [start, wallStart] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - start, Date.now() - wallStart);
}

/** Records how an attempt ended, and the withdrawal that its response named. */
export function* endAttempt(
  row: PayoutRow,
  outcome: AttemptOutcome,
  withdrawalId: string | null = null,
): Work<void> {
  yield* sql(
    `UPDATE {payout_attempts} SET ended_at = {now}, outcome = $3, withdrawal_id = $4
WHERE payout_id = $1 AND fence = $2`,
    [row.id, row.fence, outcome, withdrawalId],
  );
}

/** Ends the doubt about every attempt, after a complete lookup has shown that none took effect. */
export function* disproveAttempts(payoutId: number): Work<void> {
  yield* sql(
    `UPDATE {payout_attempts} SET outcome = 'disproved'
WHERE payout_id = $1 AND (outcome IS NULL OR outcome IN ('unknown', 'limited'))`,
    [payoutId],
  );
}

/** When a payout is due again, and why. */
export interface Later {
  /** At once, if undefined. */
  readonly dueAt?: number;
  readonly problem?: string;
  /** Until when limits hold it back. */
  readonly waitsUntil?: number;
  /** `planned` or `approved`, if no request for it took effect. */
  readonly state?: PayoutState;
}

/** Releases the payout until it is due again, unless another worker has it. */
export function* putOff(row: PayoutRow, { dueAt, problem, waitsUntil, state }: Later): Work<void> {
  const dueMs = dueAt === undefined ? null : Math.round(dueAt);
  const changed = yield* sql(
    `UPDATE {payouts} SET due_at = COALESCE($3, {now}), lease_until = 0, problem = COALESCE($4, problem), waits_until = $5,
  failures = CASE WHEN $4 IS NULL THEN failures ELSE failures + 1 END, state = COALESCE($6, state),
  doubt_since = CASE WHEN COALESCE($6, state) = 'sending' THEN doubt_since END
WHERE id = $1 AND fence = $2 AND state IN ('planned', 'approved', 'sending', 'sent') RETURNING id`,
    [row.id, row.fence, dueMs, storable(problem), waitsUntil ?? null, state ?? null],
  );
  if (changed.length > 0 && state !== undefined) yield* disproveAttempts(row.id);
}

function* postpone(row: PayoutRow, later: Later): Work<NotBegun> {
  yield* putOff(row, later);
  return { kind: "put_off" };
}

/** Whether the list has shown a withdrawal for the order that the ledger did not know. */
function* hasOther(tenant: string, orderId: string): Work<boolean> {
  const others = yield* sql(
    "SELECT tenant FROM {payout_others} WHERE tenant = $1 AND order_id = $2",
    [tenant, orderId],
  );
  return others.length > 0;
}
