import { type SqlValue, sql, type Work } from "../stores/store.ts";
import type { InboxItem } from "./events.ts";
import type { SubjectKind } from "./subject.ts";

/** How long a claim is valid, in milliseconds. */
export const leaseMs = 30_000;
const maxFailures = 25;
/** How often a row may be started without finishing. Above 1, because another row may be to blame. */
const maxStarts = 3;
/** Why a row is parked after too many unfinished starts. */
export const neverFinished = `Its worker failed to finish ${maxStarts} times: it may be killing the process.`;
/** Large enough to make the cost of claiming negligible. */
export const claimLimit = 32;

/** A row that belongs to this worker until its lease ends, or another worker raises `fence`. */
export interface Claim {
  readonly id: number;
  readonly tenant: string;
  readonly fence: number;
  readonly failures: number;
  readonly causes: string | null;
  readonly due_at: number;
}

const claimColumns = "id, tenant, fence, failures, causes, due_at";

export interface SubjectClaim extends Claim {
  readonly kind: SubjectKind;
  readonly by_order: number;
  readonly subject: string;
  readonly news: number;
  readonly signed_rank: number;
  readonly told_at: number | null;
  readonly status: string | null;
  readonly status_at: number | null;
}

export interface TaskClaim extends Claim {
  readonly name: string;
  readonly task_key: string;
  readonly payload: string;
}

/** A table whose rows are claimed. */
export interface Queue<C extends Claim> {
  readonly table: string;
  /** The SQL condition for rows with work to do, and the values of its parameters. */
  readonly isPending: string;
  readonly values: readonly SqlValue[];
  /** The columns that claims have in addition to the common ones. */
  readonly columns: string;
  /** How events name a row. */
  itemOf(claim: C): InboxItem;
}

export const subjectQueue: Queue<SubjectClaim> = {
  table: "{inbox_subjects}",
  isPending: "news > seen AND parked_at IS NULL",
  values: [],
  columns: "kind, by_order, subject, news, signed_rank, told_at, status, status_at",
  itemOf: ({ tenant, kind, subject: id }) => ({ tenant, kind, id }),
};

/** Only the subjects of these sources, or all others. A source is the kind, a slash and the tenant. */
export function subjectsOf(
  which: "IN" | "NOT IN",
  sources: readonly string[],
): Queue<SubjectClaim> {
  return {
    ...subjectQueue,
    isPending: `${subjectQueue.isPending} AND kind || '/' || tenant ${which} (SELECT value FROM {json each}($1))`,
    values: [JSON.stringify(sources)],
  };
}

export const taskQueue: Queue<TaskClaim> = {
  table: "{inbox_tasks}",
  isPending: "parked_at IS NULL",
  values: [],
  columns: "name, task_key, payload",
  itemOf: ({ tenant, task_key: id }) => ({ tenant, kind: "task", id }),
};

/** The tasks that this process has handlers for: a newer version may have planned others. */
export function tasksOf(names: readonly string[]): Queue<TaskClaim> {
  return {
    ...taskQueue,
    isPending: `${taskQueue.isPending} AND name IN (SELECT value FROM {json each}($1))`,
    values: [JSON.stringify(names)],
  };
}

/** Whether a pending row may be claimed now. */
const isDue = "due_at <= {now} AND lease_until <= {now}";

/**
 * Claims due rows, except suspects: rows that their last worker never finished, which `claimSuspect` claims once they
 * are next in line.
 */
export function* claim<C extends Claim>(
  queue: Queue<C>,
  limit = claimLimit,
): Work<{ claims: C[]; isSuspectNext: boolean }> {
  const claims = yield* claimRows(queue, "starts = 0", limit);
  const [next] = yield* sql<{ starts: number }>(
    `SELECT starts FROM ${queue.table} WHERE ${queue.isPending} AND ${isDue} ORDER BY due_at LIMIT 1 {skip locked}`,
    queue.values,
  );
  return { claims, isSuspectNext: next !== undefined && next.starts > 0 };
}

/** Parks the suspects that have been started too often, and claims one of the others. */
export function* claimSuspect<C extends Claim>(
  queue: Queue<C>,
): Work<{ parked: C[]; claims: C[] }> {
  const { table, isPending, values, columns } = queue;
  const parked = yield* sql<C>(
    `UPDATE ${table} SET parked_at = {now}, problem = '${neverFinished}'
WHERE ${isPending} AND ${isDue} AND starts >= ${maxStarts}
RETURNING ${claimColumns}, ${columns}`,
    values,
  );
  return { parked, claims: yield* claimRows(queue, "starts > 0", 1) };
}

/** The limit is part of the text: PostgreSQL would plan for a parameter as for a tenth of the table. */
function* claimRows<C extends Claim>(queue: Queue<C>, which: string, limit: number): Work<C[]> {
  const { table, isPending, values, columns } = queue;
  return yield* sql<C>(
    `WITH due AS MATERIALIZED (
  SELECT id FROM ${table}
  WHERE ${isPending} AND ${isDue} AND ${which}
  ORDER BY due_at LIMIT ${limit} {skip locked}
)
UPDATE ${table} SET fence = fence + 1, starts = starts + 1, lease_until = {now} + ${leaseMs}
WHERE id IN (SELECT id FROM due)
RETURNING ${claimColumns}, ${columns}`,
    values,
  );
}

/** Claims one subject, even if it is parked or not due. Undefined while another worker holds it. */
export function* claimSubject(
  tenant: string,
  kind: SubjectKind,
  subject: string,
): Work<SubjectClaim | undefined> {
  const [claimed] = yield* sql<SubjectClaim>(
    `UPDATE {inbox_subjects} SET fence = fence + 1, starts = starts + 1, lease_until = {now} + $4
WHERE tenant = $1 AND kind = $2 AND by_order = 0 AND subject = $3 AND lease_until <= {now}
RETURNING ${claimColumns}, ${subjectQueue.columns}`,
    [tenant, kind, subject, leaseMs],
  );
  return claimed;
}

/** Deletes a subject that only the call that claimed it has ever named. True if it did. */
export function* forgetUntold({ id, fence }: SubjectClaim): Work<boolean> {
  const forgotten = yield* sql(
    "DELETE FROM {inbox_subjects} WHERE id = $1 AND fence = $2 AND news = 1 RETURNING id",
    [id, fence],
  );
  return forgotten.length > 0;
}

/** Releases a row that was not started. */
export function* release(queue: Queue<Claim>, { id, fence }: Claim): Work<void> {
  yield* sql(
    `UPDATE ${queue.table} SET lease_until = 0, starts = CASE WHEN starts > 0 THEN starts - 1 ELSE 0 END
WHERE id = $1 AND fence = $2`,
    [id, fence],
  );
}

/**
 * Extends a row's lease. False if another worker has the row, or it was released. A harmless row's starts are reset: it
 * has run for a whole lease, so it is not the row that kills the process.
 */
export function* renew(
  queue: Queue<Claim>,
  { id, fence }: Claim,
  isHarmless: boolean,
): Work<boolean> {
  const renewed = yield* sql(
    `UPDATE ${queue.table} SET lease_until = {now} + $3, starts = CASE WHEN $4 = 1 THEN 0 ELSE starts END
WHERE id = $1 AND fence = $2 AND lease_until > 0 RETURNING id`,
    [id, fence, leaseMs, isHarmless ? 1 : 0],
  );
  return renewed.length > 0;
}

/** The text of a failure as it is stored: PostgreSQL cannot store NUL. */
function problemText(problem: string): string {
  return problem.replaceAll("\0", "").slice(0, 2_000);
}

/** Puts a row that is not to blame behind the others that are due. False if another worker has it. */
export function* putBack(
  queue: Queue<Claim>,
  { id, fence }: Claim,
  problem: string,
): Work<boolean> {
  const held = yield* sql(
    `UPDATE ${queue.table} SET starts = 0, lease_until = 0, due_at = {now}, problem = $3
WHERE id = $1 AND fence = $2 RETURNING id`,
    [id, fence, problemText(problem)],
  );
  return held.length > 0;
}

/**
 * Postpones a row, or parks it after too many failures. A row that has changed since the claim stays due: the change may
 * be the cure. Returns when it is due; undefined if another worker has it, or it was settled and only the response to the
 * commit was lost.
 */
export function* fail(
  queue: Queue<Claim>,
  { id, fence, failures, due_at }: Claim,
  problem: string,
  delayMs: number,
): Work<{ readonly isParked: boolean; readonly waitMs: number } | undefined> {
  const isParked = failures + 1 >= maxFailures;
  const [failed] = yield* sql<{ wait: number }>(
    `UPDATE ${queue.table} SET failures = failures + 1, starts = 0, lease_until = 0,
  due_at = CASE WHEN due_at = $6 THEN {now} + $3 ELSE due_at END,
  problem = $4, parked_at = CASE WHEN $5 = 1 THEN {now} END
WHERE id = $1 AND fence = $2 AND lease_until > 0 RETURNING due_at - {now} AS wait`,
    [id, fence, delayMs, problemText(problem), isParked ? 1 : 0, due_at],
  );
  return failed && { isParked, waitMs: Math.max(0, failed.wait) };
}

/** Failures after which the backoff stops growing. */
const backoffCap = 10;

/** From 1 to 22,000 seconds, randomised so that rows that failed together are not retried together. */
export function backoffMs(failures: number, random: number): number {
  return Math.round(1_000 * Math.exp(Math.min(failures, backoffCap)) * (0.5 + random / 2));
}

/**
 * Makes rows due that would wait longer than the longest backoff, because the database's clock was ahead when they were
 * written. Returns their number.
 */
export function* makeDue(queue: Queue<Claim>): Work<number> {
  const longest = backoffMs(backoffCap, 1);
  const changed = yield* sql(
    `UPDATE ${queue.table} SET due_at = {now}, lease_until = 0
WHERE ${queue.isPending} AND (due_at > {now} + ${longest} OR lease_until > {now} + ${longest}) RETURNING id`,
    queue.values,
  );
  return changed.length;
}
