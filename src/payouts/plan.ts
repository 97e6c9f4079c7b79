import { InvalidRequestError, NotFoundError } from "../errors.ts";
import type { PayoutBody } from "../resources/payouts/payout.ts";
import { type Row, sql, type Work } from "../stores/store.ts";
import { canonicalJson, parsedJson, show } from "../values.ts";
import { type JournalRow, type Ledger, readEntries } from "./journal.ts";
import { approvalOf, requireAllowed } from "./limits.ts";
import type { Decision, PayoutLimits } from "./options.ts";
import {
  bodyOf,
  isAsPlanned,
  type PayoutRow,
  type PayoutState,
  type PlannedRow,
  payoutColumns,
  payoutsIn,
  plannedHashOf,
  requireSame,
} from "./payout.ts";
import { agreesWithJournal } from "./verify.ts";

/** A checked payout, ready to be planned. */
interface Plan {
  readonly tenant: string;
  readonly body: PayoutBody;
  readonly idempotencyKey: string;
  readonly by: string | undefined;
  readonly limits: PayoutLimits;
}

/**
 * Adds the payout, or returns the existing one. It does not touch the journal: the merchant's transaction may be long,
 * and the journal's lock would hold up all others. A hash guards the row until a worker has written its first entry.
 *
 * @throws {IdempotencyConflictError} when the existing one has other parameters.
 * @throws {InvalidRequestError} when it is new, and the limits can never allow it.
 */
export function* addPlan({ tenant, body, idempotencyKey, by, limits }: Plan): Work<PayoutRow> {
  const { orderId, amountInCents } = body;
  const recipient = body.recipientAddress.toLowerCase();
  const known = yield* readRow(tenant, orderId);
  if (known === undefined) requireAllowed(limits, amountInCents, recipient);
  const planned: PlannedRow = {
    tenant,
    order_id: orderId,
    body: canonicalJson(body),
    amount: amountInCents,
    recipient,
    idempotency_key: idempotencyKey,
    planned_by: by ?? null,
  };
  yield* sql(
    `INSERT INTO {payouts} (${Object.keys(planned).join(", ")}, planned_hash, problem, state, planned_at, due_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'planned', {now}, {now}) ON CONFLICT (tenant, order_id) DO NOTHING`,
    [...Object.values(planned), plannedHashOf(planned), approvalOf(limits, amountInCents)],
  );
  const row = yield* requireRow(tenant, orderId);
  requireSame(row, body);
  return row;
}

/** Writes the first journal entries of payouts that have none yet. Returns those payouts, to only one of all workers. */
export function* chainPlans(ledger: Ledger): Work<PayoutRow[]> {
  const { tenant } = ledger;
  const rows = yield* sql<PayoutRow>(
    `SELECT ${payoutColumns} FROM {payouts} WHERE tenant = $1 AND chained = 0 ORDER BY id LIMIT 100 {skip locked}`,
    [tenant],
  );
  for (const [index, row] of rows.entries()) {
    const isStopped = yield* chain(ledger, row);
    // The breaker holds the journal's lock, after which no payout may be locked.
    if (isStopped) return rows.slice(0, index + 1);
  }
  return rows;
}

/**
 * Writes the payout's first entry, unless it has one. If the row differs from what was planned, or the journal already
 * has entries for the order, which may then have been paid, the row was changed outside the ledger: this opens the
 * breaker and returns true. Without a first entry, the payout is never sent.
 */
export function* chain(ledger: Ledger, row: PayoutRow): Work<boolean> {
  if (row.chained === 1) return false;
  const { order_id: orderId } = row;
  const [chained] = yield* sql<{ entries: number }>(
    `UPDATE {payouts} SET chained = 1 WHERE id = $1 AND chained = 0
RETURNING (SELECT count(*) FROM {payout_journal} WHERE tenant = $2 AND order_id = $3) AS entries`,
    [row.id, ledger.tenant, orderId],
  );
  if (chained === undefined) return false;
  if (chained.entries === 0 && isAsPlanned(row)) {
    ledger.note(orderId, "planned", { body: bodyOf(row), by: row.planned_by }, row.planned_at);
    return false;
  }
  yield* ledger.stop(
    orderId,
    chained.entries > 0
      ? `The payout ${orderId} is new, but the journal has entries for it: it was removed or changed outside the ledger.`
      : `The payout ${orderId} differs from what was planned: it was changed outside the ledger.`,
  );
  return true;
}

/** The payout, if there is one. */
export function* readRow(tenant: string, orderId: string): Work<PayoutRow | undefined> {
  const [row] = yield* sql<PayoutRow>(
    `SELECT ${payoutColumns} FROM {payouts} WHERE tenant = $1 AND order_id = $2`,
    [tenant, orderId],
  );
  return row;
}

/** Payouts in the order in which they were planned. */
export function* readRows(
  tenant: string,
  state: PayoutState | undefined,
  limit: number,
  offset: number,
): Work<PayoutRow[]> {
  const [where, values] = payoutsIn(state);
  return yield* sql<PayoutRow>(
    `SELECT ${payoutColumns} FROM {payouts} WHERE ${where} ORDER BY id LIMIT $2 OFFSET $3`,
    [tenant, limit, offset, ...values],
  );
}

/** @throws {NotFoundError} code `no_payout`. */
export function* requireRow(tenant: string, orderId: string): Work<PayoutRow> {
  const row = yield* readRow(tenant, orderId);
  if (row !== undefined) return row;
  throw new NotFoundError(`No payout has the orderId ${show(orderId)}. Check it, and the tenant.`, {
    code: "no_payout",
    param: "orderId",
  });
}

/** @throws {InvalidRequestError} code `wrong_state`. */
export function requireState(
  { order_id, state }: PayoutRow,
  verb: string,
  states: readonly PayoutState[],
): void {
  if (states.includes(state)) return;
  throw new InvalidRequestError(
    `The payout ${show(order_id)} is ${state}. Only a payout that is ${states.join(" or ")} can be ${verb}.`,
    { code: "wrong_state", param: "orderId" },
  );
}

/** A payout that is in one of these states, locked until the commit. */
export function* lockedRow(
  ledger: Ledger,
  orderId: string,
  verb: string,
  states: readonly PayoutState[],
): Work<PayoutRow> {
  yield* sql<Row>("UPDATE {payouts} SET failures = failures WHERE tenant = $1 AND order_id = $2", [
    ledger.tenant,
    orderId,
  ]);
  const row = yield* requireRow(ledger.tenant, orderId);
  requireState(row, verb, states);
  yield* chain(ledger, row);
  return row;
}

/** Takes the payout from its worker and makes it due. */
const takenOver =
  "fence = fence + 1, lease_until = 0, failures = 0, waits_until = NULL, due_at = {now}";

/**
 * Approves a payout as it was planned. The error for one that was altered is returned, so that the open breaker is
 * committed.
 *
 * @throws {InvalidRequestError} code `same_person` when the approver also planned it.
 */
export function* approve(
  ledger: Ledger,
  orderId: string,
  { by, reason }: Decision,
): Work<PayoutRow | InvalidRequestError> {
  const row = yield* lockedRow(ledger, orderId, "approved", ["planned", "approved"]);
  if (!(yield* agreesWithJournal(ledger, row))) {
    return new InvalidRequestError(
      `The payout ${show(orderId)} was changed outside the ledger, so it was not approved, and all payouts are stopped. Restore ` +
        "its row from a backup or cancel the payout, and then call reopen().",
      { code: "altered", param: "orderId" },
    );
  }
  if (row.state === "approved" && row.approved_by === by) return row;
  if (row.state === "approved") {
    throw new InvalidRequestError(
      `The payout ${show(orderId)} is already approved, by ${show(row.approved_by)}.`,
      { code: "wrong_state", param: "orderId" },
    );
  }
  if (isSamePerson(row.planned_by, by)) {
    throw new InvalidRequestError(
      `${show(row.planned_by)} planned the payout ${show(orderId)}. Another person has to approve it.`,
      { code: "same_person", param: "by" },
    );
  }
  yield* sql(
    `UPDATE {payouts} SET state = 'approved', approved_by = $2, problem = NULL, ${takenOver} WHERE id = $1`,
    [row.id, by],
  );
  ledger.note(orderId, "approved", { by, reason, body: bodyOf(row) });
  return yield* requireRow(ledger.tenant, orderId);
}

/** Whether two names differ only in case and white space. */
function isSamePerson(planner: string | null, approver: string): boolean {
  const plain = (name: string) => name.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();
  return planner !== null && plain(planner) === plain(approver);
}

/** Ends a payout for which nothing was sent. */
export function* endPlan(
  ledger: Ledger,
  orderId: string,
  verb: "rejected" | "cancelled",
  { by, reason }: Decision,
): Work<PayoutRow> {
  const state = verb === "rejected" ? "refused" : "cancelled";
  const row = yield* lockedRow(ledger, orderId, verb, ["planned", "approved"]);
  const attempts = yield* sql(
    "SELECT fence FROM {payout_attempts} WHERE payout_id = $1 AND (outcome IS NULL OR outcome = 'unknown')",
    [row.id],
  );
  if (attempts.length > 0) {
    throw new InvalidRequestError(
      `The payout ${show(orderId)} cannot be ${verb} while the outcome of a request for it is unknown. A worker looks it up.`,
      { code: "wrong_state", param: "orderId" },
    );
  }
  if (wasSent(row, yield* readEntries(ledger.tenant, orderId))) {
    throw new InvalidRequestError(
      `The payout ${show(orderId)} cannot be ${verb}: its journal says that a request was sent for it, but its row does not. ` +
        "Restore the row from a backup.",
      { code: "wrong_state", param: "orderId" },
    );
  }
  const problem = `${verb === "rejected" ? "Rejected" : "Cancelled"} by ${by}${reason ? `: ${reason}` : "."}`;
  yield* sql(
    `UPDATE {payouts} SET state = $2, problem = $3, final_at = {now}, reserved_at = NULL, ${takenOver} WHERE id = $1`,
    [row.id, state, problem],
  );
  ledger.note(orderId, verb, { by, reason });
  return yield* requireRow(ledger.tenant, orderId);
}

/** Whether the journal records a request that the row lacks, because the row was altered. */
function wasSent({ attempts }: PayoutRow, entries: readonly JournalRow[]): boolean {
  return entries.some(({ event, details }) => {
    const { attempt = 0 }: { attempt?: number } = Object(parsedJson(details));
    return event === "sent" || (event === "sending" && attempt > attempts);
  });
}
