import { SettlekitError } from "../errors.ts";
import { sql, type Work } from "../stores/store.ts";
import { type Later, putOff } from "./attempts.ts";
import type { PayoutsContext } from "./context.ts";
import { readHead } from "./journal.ts";
import { type PayoutRow, payoutColumns } from "./payout.ts";

/** What may be claimed. */
interface Permits {
  /** Payouts in doubt. */
  readonly mayLookUp: boolean;
  /** Payouts that were sent. */
  readonly mayTrack: boolean;
  /** Payouts that are planned or approved. */
  readonly mayBegin: boolean;
  /** Only one of those. */
  readonly isInDoubt: boolean;
}

/**
 * Claims payouts that are due, those in doubt first: while the service is unavailable, their lookups show that, before
 * further requests end in doubt. Each claim has its own fence, which invalidates earlier ones.
 */
export function* claim(
  context: PayoutsContext,
  limit: number,
  { mayLookUp, mayTrack, mayBegin, isInDoubt }: Permits,
): Work<PayoutRow[]> {
  const inDoubt = mayLookUp ? yield* claimRows(context, limit, "state = 'sending'", []) : [];
  const room = limit - inDoubt.length;
  if (room === 0) return inDoubt;
  const { tenant, known } = context;
  const head = yield* readHead(tenant, known.end);
  // Otherwise, the next attempt opens the breaker.
  if (head?.known_hash === known.end.hash) known.end = head;
  const isStopped = head !== undefined && head.stopped_at !== null;
  // Before a person closes the breaker, an older state of the database may be restored.
  if (isStopped) context.reading.reset();
  const isBeginning = mayBegin && !isStopped;
  const which = [mayTrack ? "state = 'sent'" : [], isBeginning ? isReady : []].flat().join(" OR ");
  if (which === "") return inDoubt;
  const unapproved = context.limits.approveAbove ?? Number.MAX_SAFE_INTEGER;
  const values = isBeginning ? [unapproved] : [];
  const most = isBeginning && isInDoubt ? 1 : room;
  return [...inDoubt, ...(yield* claimRows(context, most, which, values))];
}

const isReady = "state = 'approved' OR state = 'planned' AND amount <= $3";

function* claimRows(
  { tenant, leaseMs }: PayoutsContext,
  limit: number,
  which: string,
  values: readonly number[],
): Work<PayoutRow[]> {
  // The limit is part of the text: PostgreSQL would plan for a parameter as for a tenth of the table.
  return yield* sql<PayoutRow>(
    `WITH due AS MATERIALIZED (
  SELECT id FROM {payouts}
  WHERE tenant = $1 AND final_at IS NULL AND chained = 1 AND due_at <= {now} AND lease_until <= {now} AND (${which})
  ORDER BY due_at LIMIT ${limit} {skip locked}
)
UPDATE {payouts} SET fence = fence + 1, lease_until = {now} + $2 WHERE id IN (SELECT id FROM due)
RETURNING ${payoutColumns}`,
    [tenant, leaseMs, ...values],
  );
}

/**
 * Ends waits that were set while the database's clock was ahead. Their requests are only known to have been sent
 * before now, so their quiet times begin now and their idempotency keys count as expired.
 */
export async function catchUp({ store, tenant, quietMs, report }: PayoutsContext): Promise<void> {
  const longestWaitMs = 3_600_000 + 3 * quietMs;
  const moved = await store.transaction(function* () {
    yield* sql(
      "UPDATE {payouts} SET reserved_at = {now} WHERE tenant = $1 AND reserved_at > {now} + $2",
      [tenant, longestWaitMs],
    );
    const rows = yield* sql<{ id: number }>(
      `UPDATE {payouts} SET due_at = {now}, lease_until = 0,
  doubt_since = CASE WHEN doubt_since > {now} THEN {now} ELSE doubt_since END
WHERE tenant = $1 AND final_at IS NULL AND (due_at > {now} + $2 OR lease_until > {now} + $2) RETURNING id`,
      [tenant, longestWaitMs],
    );
    for (const { id } of rows) {
      yield* sql(
        `UPDATE {payout_attempts} SET left_by = {now} + left_by - started_at, started_at = 0
WHERE payout_id = $1 AND started_at > {now}`,
        [id],
      );
    }
    return rows.length;
  });
  if (moved === 0) return;
  const error = new SettlekitError(
    `The database's clock was ahead, and has been set back. Payouts that would have waited for that time are due now (${moved}). ` +
      "If requests were in doubt when the clock went ahead, look for orders with two withdrawals.",
    { code: "clock_was_ahead" },
  );
  report({ type: "failed", tenant, orderId: undefined, error });
}

/** Releases a payout until it is due again, unless another worker has it. */
export async function put(
  { store }: PayoutsContext,
  row: PayoutRow,
  later: Later,
): Promise<undefined> {
  await store.transaction(() => putOff(row, later));
}

/** Renews the claim during a long lookup. */
export async function renewing<T>(
  { store, leaseMs }: PayoutsContext,
  row: PayoutRow,
  look: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => {
    const renew = () =>
      sql(
        "UPDATE {payouts} SET lease_until = {now} + $3 WHERE id = $1 AND fence = $2 AND lease_until > {now}",
        [row.id, row.fence, leaseMs],
      );
    // The lease may outlast the database's outage.
    store.transaction(renew).catch(() => {});
  }, leaseMs / 3);
  timer.unref();
  try {
    return await look();
  } finally {
    clearInterval(timer);
  }
}
