import { sql, type Work } from "../stores/store.ts";
import { parsedJson, timeOf } from "../values.ts";
import type { Withdrawal } from "../wire/withdrawal.ts";
import { type Ledger, readEntries } from "./journal.ts";
import { isOfOtherMerchant, noteMerchant } from "./merchant.ts";
import { differsFrom, type PayoutRow, storable } from "./payout.ts";
import { chain, requireRow } from "./plan.ts";

/** How long until a pending withdrawal is read again: often at first. */
function followMs(ageMs: number): number {
  return Math.min(Math.max(ageMs / 2, 5_000), 600_000);
}

interface SettleOptions {
  /** Whether an inbox reports withdrawals that ended. */
  readonly hasInbox?: boolean;
  /** The person who decided that this withdrawal is the payout's. */
  readonly by?: string;
  /**
   * The ids of all the order's withdrawals that the same lookup found. They are named together, because neither the
   * journal nor the reason of an open breaker shows what this transaction adds.
   */
  readonly found?: readonly string[];
  /** The payout whose last request the withdrawal answers. */
  readonly answers?: PayoutRow | undefined;
}

/**
 * Records what is known about the payout's withdrawal. These facts hold even if another worker has taken over, so there
 * is no fence. A second withdrawal, or one with other parameters, stops all payouts. Returns the payout if this changed
 * its state.
 */
export function* settle(
  ledger: Ledger,
  orderId: string,
  withdrawal: Withdrawal,
  { hasInbox = false, by, found = [], answers }: SettleOptions = {},
): Work<PayoutRow | undefined> {
  // Takes the row's lock, so that two responses are recorded one after the other.
  const [clock] = yield* sql<{ now: number }>(
    "UPDATE {payouts} SET failures = 0 WHERE tenant = $1 AND order_id = $2 RETURNING {now} AS now",
    [ledger.tenant, orderId],
  );
  const row = yield* requireRow(ledger.tenant, orderId);
  yield* chain(ledger, row);
  const ageMs = (clock?.now ?? 0) - (row.sent_at ?? clock?.now ?? 0);
  const { id, status } = withdrawal;
  const isEnd = status === "completed" || status === "failed" || status === "cancelled";
  const isLate = row.final_at !== null && !isEnd;
  const isUndecided = row.state === "needs_decision" && by === undefined;
  // The response is older than the row, or does not say which of several withdrawals counts.
  if (row.withdrawal_id === id && (isLate || isUndecided)) return undefined;
  const isOthers = yield* isOfOtherMerchant(ledger.tenant, withdrawal);
  const differing =
    by === undefined ? [differsFrom(row, withdrawal), isOthers ? "merchantId" : []].flat() : [];
  const isOther = [row.withdrawal_id ?? [], ...found].flat().some((other) => other !== id);
  if (isOther || isUndecided || differing.length > 0) {
    const { open, setAside, accepted } = yield* readDecisions(ledger, orderId);
    if (setAside.has(id) || open.has(id)) return undefined;
    const known = [row.withdrawal_id ?? [], ...open].flat();
    const candidates = [...found, id].filter((candidate) => !setAside.has(candidate));
    const all = [...new Set([...known, ...candidates])];
    if (all.length > 1 && candidates.some((candidate) => !known.includes(candidate))) {
      return yield* needDecision(
        ledger,
        row,
        `It has ${all.length} withdrawals: ${all.join(", ")}.`,
        all,
      );
    }
    if (differing.length > 0 && !accepted.has(id)) {
      const problem = `Its withdrawal ${id} has a different ${differing.join(", ")} than planned.`;
      return yield* needDecision(ledger, row, problem, [id]);
    }
  }
  if (row.final_at !== null && row.withdrawal_id === null) {
    yield* ledger.stop(
      orderId,
      `The payout ${orderId} is ${row.state}, but has the withdrawal ${id}.`,
    );
  }
  const state = isEnd ? status : "sent";
  const txHash = storable(withdrawal.receipt?.txHash);
  const problem = storable(withdrawal.errorMessage);
  yield* sql(
    `UPDATE {payouts} SET state = $2, withdrawal_id = $3, tx_hash = COALESCE($4, tx_hash), problem = $5,
  sent_at = COALESCE(sent_at, {now}), final_at = CASE WHEN $6 = 0 THEN NULL WHEN state = $2 THEN final_at ELSE {now} END,
  doubt_since = NULL, waits_until = NULL,
  reserved_at = CASE WHEN $7 = 1 THEN NULL ELSE COALESCE(reserved_at, $9) END,
  due_at = {now} + $8, lease_until = 0, fence = fence + 1 WHERE id = $1`,
    [
      row.id,
      state,
      id,
      txHash,
      problem,
      isEnd ? 1 : 0,
      status === "failed" || status === "cancelled" ? 1 : 0,
      hasInbox ? 600_000 : Math.round(followMs(ageMs)),
      createdMs(withdrawal, clock?.now ?? 0),
    ],
  );
  if (answers !== undefined) yield* noteMerchant(answers, withdrawal);
  const isFirst = row.withdrawal_id === null;
  if (isFirst) ledger.note(orderId, "sent", { withdrawalId: id, by });
  // The entry about the withdrawal is not the last one about a payout that a person had cancelled.
  if (isEnd && (isFirst || row.state !== state)) {
    ledger.note(orderId, state, { withdrawalId: id, txHash, errorMessage: problem ?? undefined });
  }
  return row.state === state ? undefined : yield* requireRow(ledger.tenant, orderId);
}

/** The time at which a withdrawal that this ledger did not create counts against the budget. */
function createdMs({ createdAt }: Withdrawal, now: number): number {
  const ms = timeOf(createdAt);
  return Number.isNaN(ms) ? now : Math.min(ms, now);
}

/**
 * A person's open and past decisions about an order's withdrawals: which ones are in question, set aside as not the
 * payout's, or accepted despite differences.
 */
function* readDecisions({ tenant }: Ledger, orderId: string) {
  const [setAside, accepted] = [new Set<string>(), new Set<string>()];
  let open = new Set<string>();
  for (const { event, details } of yield* readEntries(tenant, orderId)) {
    const told: { withdrawals?: string[]; withdrawalId?: string; acceptDifferences?: boolean } =
      Object(parsedJson(details));
    if (event === "needs_decision") open = new Set(told.withdrawals);
    if (event !== "resolved") continue;
    const { withdrawals = [], withdrawalId = "", acceptDifferences } = told;
    for (const id of [...open, ...withdrawals]) if (id !== withdrawalId) setAside.add(id);
    setAside.delete(withdrawalId);
    if (acceptDifferences) accepted.add(withdrawalId);
    open = new Set();
  }
  return { open, setAside, accepted };
}

/**
 * Leaves the payout to a person, and stops all others if money may have been sent twice. Returns the payout, unless it
 * was already left to a person for this reason.
 *
 * @param withdrawals The withdrawals in question.
 */
export function* needDecision(
  ledger: Ledger,
  row: PayoutRow,
  problem: string,
  withdrawals: readonly string[] = [],
): Work<PayoutRow | undefined> {
  // Every webhook of either withdrawal leads here again.
  if (row.state === "needs_decision" && row.problem === storable(problem)) return undefined;
  yield* sql(
    `UPDATE {payouts} SET state = 'needs_decision', problem = $2, final_at = NULL, fence = fence + 1, lease_until = 0,
  reserved_at = COALESCE(reserved_at, {now}) WHERE id = $1`,
    [row.id, storable(problem)],
  );
  const isAlarming = withdrawals.length > 0;
  ledger.note(row.order_id, "needs_decision", { problem, ...(isAlarming && { withdrawals }) });
  if (isAlarming)
    yield* ledger.stop(row.order_id, `The payout ${row.order_id} needs a decision. ${problem}`);
  return yield* requireRow(ledger.tenant, row.order_id);
}
