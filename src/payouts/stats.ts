import { type Store, sql, type Work } from "../stores/store.ts";
import { readHead } from "./journal.ts";
import {
  type PayoutRow,
  type PayoutState,
  payoutColumns,
  payoutFrom,
  payoutsIn,
} from "./payout.ts";
import { payoutStates } from "./tables.ts";

/** The state of a tenant's payouts. */
export interface PayoutsStats {
  /** Why nothing is sent; undefined while the breaker is closed. */
  readonly stopped: { readonly since: Date; readonly reason: string } | undefined;
  /** Number of payouts in each state. */
  readonly states: Readonly<Record<PayoutState, number>>;
  /**
   * How long the payout that has been due longest has waited for a worker, in milliseconds; 0 if none is due. Payouts that
   * wait for an approval, the limits or a decision are not due, nor are unsent ones while the breaker is open. A failed
   * try makes a payout due later, so its wait begins anew: watch the `failed` and `doubt` events for those.
   */
  readonly lagMs: number;
  /** USD cents reserved from the budget since midnight UTC. */
  readonly takenToday: number;
  /** USD cents reserved from the budget in the last 24 hours. */
  readonly taken24Hours: number;
  /** Since when the oldest payout in doubt has been in doubt. */
  readonly oldestDoubt: Date | undefined;
  /** Number of journal entries. */
  readonly entries: number;
}

const dayMs = 86_400_000;

/** Amounts above `approveAbove` cents need an approval. */
export function* readStats(
  tenant: string,
  approveAbove = Number.MAX_SAFE_INTEGER,
): Work<PayoutsStats> {
  const head = yield* readHead(tenant);
  const counts = yield* sql<{ state: PayoutState; count: number }>(
    "SELECT state, count(*) AS count FROM {payouts} WHERE tenant = $1 GROUP BY state",
    [tenant],
  );
  const now = head?.now ?? 0;
  // Only payouts that have not ended are in doubt: the condition lets the databases use their index.
  const [sums] = yield* sql<{ today: number; rolling: number; doubt: number | null }>(
    `SELECT COALESCE(sum(CASE WHEN reserved_at >= $2 THEN amount END), 0) AS today, COALESCE(sum(amount), 0) AS rolling,
  (SELECT min(doubt_since) FROM {payouts} WHERE tenant = $1 AND final_at IS NULL) AS doubt
FROM {payouts} WHERE tenant = $1 AND reserved_at > $3`,
    [tenant, Math.floor(now / dayMs) * dayMs, now - dayMs],
  );
  const since = head?.stopped_at;
  const isStopped = typeof since === "number";
  // The ledger that planned it may ask for approvals that this one does not: then it has a problem, but no failure.
  const [due] = yield* sql<{ since: number | null; now: number }>(
    `SELECT min(due_at) AS since, {now} AS now FROM {payouts}
WHERE tenant = $1 AND final_at IS NULL AND due_at <= {now} AND lease_until <= {now} AND (state IN ('sending', 'sent')
  OR $2 = 0 AND (state = 'approved' OR state = 'planned' AND amount <= $3
    AND (problem IS NULL OR failures > 0 OR waits_until IS NOT NULL)))`,
    [tenant, isStopped ? 1 : 0, approveAbove],
  );
  const known = new Map(counts.map(({ state, count }) => [state, count]));
  const states = payoutStates.map((state) => [state, known.get(state) ?? 0]);
  return {
    stopped: isStopped
      ? { since: new Date(since), reason: head?.stopped_because ?? "" }
      : undefined,
    states: Object.fromEntries(states),
    lagMs: due?.since == null ? 0 : due.now - due.since,
    takenToday: sums?.today ?? 0,
    taken24Hours: sums?.rolling ?? 0,
    oldestDoubt: typeof sums?.doubt === "number" ? new Date(sums.doubt) : undefined,
    entries: head?.seq ?? 0,
  };
}

/** Pages of payouts, newest first. Payouts that change their state meanwhile do not shift the others. */
export async function* newestFirst(store: Store, tenant = "", state?: PayoutState, size = 500) {
  const { states } = await store.transaction(() => readStats(tenant));
  const total = state ? states[state] : Object.values(states).reduce((sum, count) => sum + count);
  const [where, values] = payoutsIn(state);
  const read = (before: number) =>
    sql<PayoutRow>(
      `SELECT ${payoutColumns} FROM {payouts} WHERE ${where} AND id < $2 ORDER BY id DESC LIMIT $3`,
      [tenant, before, size, ...values],
    );
  let last: PayoutRow | undefined;
  for (let offset = 0; ; offset += size) {
    const rows = await store.transaction(() => read(last?.id ?? Number.MAX_SAFE_INTEGER));
    last = rows.at(-1);
    if (last === undefined) return;
    yield { data: rows.map(payoutFrom), pagination: { total, offset } };
  }
}

/** Payouts that are not sent yet, grouped by reason. */
export interface Waiting {
  /**
   * - `turn`: it is due. The breaker is open, or the worker had to stop.
   * - `limits`, `approval`, `decision`: what it is waiting for.
   * - `retry`: a step failed.
   * - `answer`: a request may have taken effect.
   */
  readonly reason: "turn" | "limits" | "approval" | "retry" | "answer" | "decision";
  readonly count: number;
  /** The first of those that are waiting for an approval, at most ten. */
  readonly orderIds: readonly string[];
  /** When the first of them is due again, if that depends on time. */
  readonly first: Date | undefined;
}

/** How many payouts are waiting, by reason. Amounts above `approveAbove` cents need an approval. */
export function* readWaiting(tenant = "", approveAbove = Number.MAX_SAFE_INTEGER): Work<Waiting[]> {
  const rows = yield* sql<{ reason: Waiting["reason"]; count: number; due: number | null }>(
    `SELECT reason, count(*) AS count, min(CASE WHEN due > {now} THEN due END) AS due FROM (
  SELECT CASE WHEN waits_until > {now} THEN waits_until WHEN due_at < lease_until THEN lease_until ELSE due_at END AS due,
    CASE WHEN state = 'needs_decision' THEN 'decision'
      WHEN state = 'sending' THEN 'answer'
      WHEN state = 'planned' AND amount > $2 THEN 'approval'
      WHEN waits_until > {now} THEN 'limits'
      WHEN failures > 0 AND due_at > {now} THEN 'retry'
      WHEN state <> 'sent' AND due_at <= {now} AND lease_until <= {now} THEN 'turn'
    END AS reason
  FROM {payouts} WHERE tenant = $1 AND final_at IS NULL
) AS waiting WHERE reason IS NOT NULL GROUP BY reason ORDER BY reason`,
    [tenant, approveAbove],
  );
  const unapproved = yield* sql<{ order_id: string }>(
    `SELECT order_id FROM {payouts}
WHERE tenant = $1 AND state = 'planned' AND amount > $2 AND final_at IS NULL ORDER BY id LIMIT 10`,
    [tenant, approveAbove],
  );
  const named = unapproved.map(({ order_id }) => order_id);
  return rows.map(({ reason, count, due }) => {
    const isTimed = reason === "limits" || reason === "retry" || reason === "answer";
    const orderIds = reason === "approval" ? named : [];
    return { reason, count, orderIds, first: isTimed && due !== null ? new Date(due) : undefined };
  });
}
