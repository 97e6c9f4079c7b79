import { sql, type Work } from "../stores/store.ts";
import { readHead } from "./journal.ts";
import type { PayoutState } from "./payout.ts";
import { payoutStates } from "./tables.ts";

/** How the payouts of a tenant are doing. */
export interface PayoutsStats {
  /** Why nothing is sent; undefined while the breaker is closed. */
  readonly stopped: { readonly since: Date; readonly reason: string } | undefined;
  /** How many payouts are in each state. */
  readonly states: Readonly<Record<PayoutState, number>>;
  /** Taken from the budget since midnight UTC, in cents. */
  readonly takenToday: number;
  /** Taken from the budget in the last 24 hours, in cents. */
  readonly taken24Hours: number;
  /** Since when the oldest doubt has lasted. */
  readonly oldestDoubt: Date | undefined;
  /** Entries of the journal. */
  readonly entries: number;
}

const dayMs = 86_400_000;

export function* readStats(tenant: string): Work<PayoutsStats> {
  const head = yield* readHead(tenant);
  const counts = yield* sql<{ state: PayoutState; count: number }>(
    "SELECT state, count(*) AS count FROM {payouts} WHERE tenant = $1 GROUP BY state",
    [tenant],
  );
  const now = head?.now ?? 0;
  const [sums] = yield* sql<{ today: number; rolling: number; doubt: number | null }>(
    `SELECT COALESCE(sum(CASE WHEN reserved_at >= $2 THEN amount END), 0) AS today,
  COALESCE(sum(CASE WHEN reserved_at > $3 THEN amount END), 0) AS rolling, min(doubt_since) AS doubt
FROM {payouts} WHERE tenant = $1 AND (reserved_at > $3 OR doubt_since IS NOT NULL)`,
    [tenant, Math.floor(now / dayMs) * dayMs, now - dayMs],
  );
  const known = new Map(counts.map(({ state, count }) => [state, count]));
  const states = payoutStates.map((state) => [state, known.get(state) ?? 0]);
  const since = head?.stopped_at;
  return {
    stopped:
      typeof since === "number"
        ? { since: new Date(since), reason: head?.stopped_because ?? "" }
        : undefined,
    states: Object.fromEntries(states),
    takenToday: sums?.today ?? 0,
    taken24Hours: sums?.rolling ?? 0,
    oldestDoubt: typeof sums?.doubt === "number" ? new Date(sums.doubt) : undefined,
    entries: head?.seq ?? 0,
  };
}

/**
 * How many payouts wait because a step failed, and when the first of them is due again. Those that wait for their budget
 * or for a person do not count.
 */
export function* readRetries(tenant = ""): Work<{ count: number; first: Date | undefined }> {
  const [found] = yield* sql<{ count: number; due: number | null }>(
    `SELECT count(*) AS count, min(due_at) AS due FROM {payouts}
WHERE tenant = $1 AND final_at IS NULL AND state <> 'needs_decision' AND failures > 0 AND waits_until IS NULL
  AND due_at > {now}`,
    [tenant],
  );
  const { count = 0, due } = found ?? {};
  return { count, first: typeof due === "number" ? new Date(due) : undefined };
}
