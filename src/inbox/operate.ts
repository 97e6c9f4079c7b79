import { NotFoundError, SettlekitError } from "../errors.ts";
import { sql, type Work } from "../stores/store.ts";
import { show } from "../values.ts";
import type { InboxContext } from "./settle.ts";
import type { SubjectKind } from "./subject.ts";

/** A subject or task whose last attempt failed. The inbox retries it by itself. */
export interface Failing {
  /** Pass it to `retry`. */
  readonly id: string;
  readonly tenant: string;
  readonly kind: SubjectKind | "task";
  /** The payment's or withdrawal's id at the service, or the task's key. */
  readonly subject: string;
  /** The last failure. */
  readonly reason: string;
  /** Consecutive failures; 0 if the service could not be read, which is not the subject's fault. */
  readonly failures: number;
  /** When the change was reported, or the task was planned. */
  readonly since: Date;
  readonly nextAttempt: Date;
}

/** A subject or task that is waiting for a person. */
export interface Parked extends Omit<Failing, "nextAttempt"> {
  /** When it was parked. */
  readonly since: Date;
}

/** The state of the inbox. */
export interface InboxStats {
  /** Subjects with changes that are not settled yet, except parked ones. */
  readonly changed: number;
  /**
   * How long the oldest of them, or the oldest task that is not in its first run, has been waiting, in milliseconds; 0
   * if there are none.
   */
  readonly lagMs: number;
  /** Since when the oldest subject with changes has been waiting. */
  readonly oldestChanged: Date | undefined;
  /** Subjects and tasks that are waiting for a person. */
  readonly parked: number;
  /** Tasks that are not done yet, except parked ones. */
  readonly tasks: number;
  /** Subjects settled in the last minute. */
  readonly settledPerMinute: number;
  /** Total number of changes that no webhook reported and only the lists showed. */
  readonly missed: number;
}

const retentionMs = 30 * 86_400_000;
const pruneLimit = 1_000;

/** Deletes a batch of old deliveries, and reports tasks without a handler. True if there may be more to delete. */
export async function tidy({ store, effects, report }: InboxContext): Promise<boolean> {
  const names = await store.transaction(() => effects.unhandled());
  if (names.length > 0) report({ type: "failed", error: unhandledTasks(names) });
  return store.transaction(prune);
}

function unhandledTasks(names: readonly string[]): SettlekitError {
  return new SettlekitError(
    `No worker runs these tasks, and this program has no handler for them: ${names.join(", ")}. If a handler was renamed or ` +
      "removed, add it again under that name until its tasks have run.",
    { code: "unhandled_task" },
  );
}

/** Deletes a batch of old deliveries. True if there may be more. */
function* prune(): Work<boolean> {
  const removed = yield* sql(
    `DELETE FROM {inbox_deliveries} WHERE id IN (
  SELECT id FROM {inbox_deliveries} WHERE received_at < {now} - $1 LIMIT ${pruneLimit}
) RETURNING id`,
    [retentionMs],
  );
  return removed.length === pruneLimit;
}

export function* readStats(): Work<InboxStats> {
  const [row = {}] = yield* sql<Record<string, number | null>>(
    `SELECT changed, oldest, oldest_task, {now} AS now, parked, parked_tasks, tasks, settled, missed
FROM (SELECT count(*) AS changed, min(changed_at) AS oldest FROM {inbox_subjects}
  WHERE news > seen AND parked_at IS NULL) AS waiting,
(SELECT count(*) AS settled FROM {inbox_subjects} WHERE settled_at > {now} - 60000) AS lately,
(SELECT count(*) AS parked FROM {inbox_subjects} WHERE parked_at IS NOT NULL) AS stuck,
(SELECT count(*) AS tasks, count(parked_at) AS parked_tasks,
  min(CASE WHEN parked_at IS NULL AND (lease_until <= {now} OR failures > 0) THEN created_at END) AS oldest_task
  FROM {inbox_tasks}) AS planned,
(SELECT sum(missed) AS missed FROM {inbox_watermarks}) AS lists`,
  );
  const { changed, oldest, oldest_task, parked, parked_tasks, tasks, settled, missed } = row;
  const now = row.now ?? 0;
  return {
    changed: changed ?? 0,
    lagMs: Math.max(0, now - (oldest ?? now), now - (oldest_task ?? now)),
    oldestChanged: typeof oldest === "number" ? new Date(oldest) : undefined,
    parked: (parked ?? 0) + (parked_tasks ?? 0),
    tasks: (tasks ?? 0) - (parked_tasks ?? 0),
    settledPerMinute: settled ?? 0,
    missed: missed ?? 0,
  };
}

interface FailedRow {
  id: number;
  tenant: string;
  kind: Failing["kind"];
  subject: string;
  problem: string | null;
  failures: number;
  since: number;
  due_at: number;
}

const isParked = "parked_at IS NOT NULL";
/** `news > seen` follows from the problem; it lets PostgreSQL use the index of rows with work to do. */
const isFailing = { subject: "problem IS NOT NULL AND news > seen", task: "failures > 0" };

export function* readFailing(): Work<Failing[]> {
  const rows = yield* sql<FailedRow>(
    `SELECT id, tenant, kind, subject, problem, failures, changed_at AS since, due_at
FROM {inbox_subjects} WHERE ${isFailing.subject} AND parked_at IS NULL
UNION ALL SELECT id, tenant, 'task', task_key, problem, failures, created_at, due_at
FROM {inbox_tasks} WHERE ${isFailing.task} AND parked_at IS NULL ORDER BY since, id`,
  );
  return rows.map((row) => ({ ...failedFrom(row), nextAttempt: new Date(row.due_at) }));
}

export function* readParked(): Work<Parked[]> {
  const rows = yield* sql<FailedRow>(
    `SELECT id, tenant, kind, subject, problem, failures, parked_at AS since
FROM {inbox_subjects} WHERE ${isParked}
UNION ALL SELECT id, tenant, 'task', task_key, problem, failures, parked_at
FROM {inbox_tasks} WHERE ${isParked} ORDER BY since, id`,
  );
  return rows.map(failedFrom);
}

function failedFrom({ id, tenant, kind, subject, problem, failures, since }: FailedRow): Parked {
  const reason = problem ?? "";
  return { id: `${kind}:${id}`, tenant, kind, subject, reason, failures, since: new Date(since) };
}

/** Makes everything that failed due now, parked or not. Returns how much that is. */
export function* retryAll(): Work<number> {
  return (yield* retry("subject")) + (yield* retry("task"));
}

/** Makes one row that failed due now, parked or not. */
export function* retryOne(id: string): Work<void> {
  const [, kind, row] = /^(payment|withdrawal|task):(\d{1,15})$/.exec(id) ?? [];
  const table = kind === "task" ? "task" : "subject";
  if (row !== undefined && (yield* retry(table, Number(row))) > 0) return;
  throw new NotFoundError(
    `No subject or task that failed has the id ${show(id)}. List them with inbox.parked() and inbox.failing(), or ` +
      "`settlekit inbox parked` and `settlekit inbox failing`.",
    { code: "not_parked", param: "id" },
  );
}

/** Rows that are not parked keep their starts: a retry does not clear one that is killing processes. */
function* retry(table: keyof typeof isFailing, id?: number): Work<number> {
  const changed = yield* sql(
    `UPDATE {inbox_${table}s} SET parked_at = NULL, problem = NULL, failures = 0, due_at = {now},
  starts = CASE WHEN ${isParked} THEN 0 ELSE starts END
WHERE (${isParked} OR ${isFailing[table]}) ${id === undefined ? "" : "AND id = $1"} RETURNING id`,
    id === undefined ? [] : [id],
  );
  return changed.length;
}
