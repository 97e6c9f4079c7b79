import { SettlekitError } from "../errors.ts";
import { type Store, sql, type Work } from "../stores/store.ts";
import { checkSignal } from "../stores/worker.ts";
import { checkOptionNames, show, timeOf } from "../values.ts";
import { isFinal } from "../wire/payment-status.ts";
import { makeDue, subjectQueue, tasksOf } from "./claims.ts";
import { noteNews, storable } from "./news.ts";
import { checkSince } from "./options.ts";
import type { InboxContext } from "./settle.ts";
import { fetchedRank, resourceOf, type SubjectKind, signedRank, stateOf } from "./subject.ts";
import { unknownTenant } from "./tenants.ts";

/** The result of checking the lists. */
export interface Reconciled {
  /** Number of payments and withdrawals listed. */
  readonly listed: number;
  /** How many of them had a status that no webhook reported. */
  readonly missed: number;
}

/** A list of the service, and the time from which it is checked. */
interface List {
  readonly tenant: string;
  readonly kind: SubjectKind;
  readonly watermark: number;
}

/** An item of a list, of which anything may be unreadable. */
interface Listed<Id = unknown> {
  readonly id: Id;
  readonly orderId?: unknown;
  readonly status: unknown;
  readonly createdAt: string;
}

/** Items may be listed out of order by this much, because the clocks of the service's machines differ. */
const overlapMs = 300_000;
/** How long payments that never become final, such as deposits, may hold back the watermark. */
const maxOpenMs = 7 * 86_400_000;
const batchSize = 200;
/** How soon lists that could not be read are due again. */
const retryMs = 60_000;
/** Large, because each page is one request. */
const pageSize = 1_000;

/** Checks the lists that are due. Other processes then skip them for `everyMs`, unless they could not be read. */
export async function reconcileDue(
  context: InboxContext,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  const due = await context.store.transaction(() =>
    sql<List>(
      `UPDATE {inbox_watermarks} SET due_at = {now} + $1 WHERE due_at <= {now} OR due_at > {now} + $1
RETURNING tenant, kind, watermark`,
      [everyMs],
    ),
  );
  if (due.length === 0) return;
  await catchUp(context);
  const { unread } = await walkAll(context, due, signal);
  for (const { tenant, kind } of unread) {
    await context.store.transaction(() =>
      sql("UPDATE {inbox_watermarks} SET due_at = {now} + $3 WHERE tenant = $1 AND kind = $2", [
        tenant,
        kind,
        Math.min(everyMs, retryMs),
      ]),
    );
  }
}

/** Lets effects catch up with subjects settled without them, and ends waits set while the clock was ahead. */
export async function catchUp({ store, effects, report }: InboxContext): Promise<void> {
  const work = function* () {
    const late = yield* effects.catchUp();
    const tasks = yield* makeDue(tasksOf(effects.taskNames));
    return { late, subjects: yield* makeDue(subjectQueue), tasks };
  };
  const { late, subjects, tasks } = await store.transaction(work, { wake: "inbox" });
  const what = [];
  if (late.length > 0) what.push(`These effects start only now: ${late.join(", ")}.`);
  if (subjects + tasks > 0) what.push(`Subjects (${subjects}) and tasks (${tasks}) are due now.`);
  if (what.length > 0) report({ type: "failed", error: clockWasAhead(what.join(" ")) });
}

function clockWasAhead(what: string): SettlekitError {
  return new SettlekitError(
    `The database's clock was ahead, and has been set back. ${what} Review what happened in the meantime.`,
    { code: "clock_was_ahead" },
  );
}

function unusableId(kind: SubjectKind, { id, orderId }: Listed): SettlekitError {
  return new SettlekitError(
    `The service lists a ${kind} whose id is ${show(id)}, which the inbox cannot store: no effect runs for it. Look up the ` +
      `orderId ${show(orderId)} at the service.`,
    { code: "unusable_id" },
  );
}

/** The options of `inbox.reconcile`. */
export interface ReconcileOptions {
  /** Check everything created since this time. Default: where the last check stopped. */
  readonly since?: Date | undefined;
  /** Check only this tenant's lists. Default: every tenant's. */
  readonly tenant?: string | undefined;
  /** Ends the check early, with an error. */
  readonly signal?: AbortSignal | undefined;
}

export function readReconcile(options: ReconcileOptions) {
  checkOptionNames(options, ["since", "tenant", "signal"]);
  const { since, tenant, signal = new AbortController().signal } = options;
  checkSince(since);
  checkSignal(signal);
  return { since, tenant, signal };
}

/** Checks all lists of one tenant, or of all, from a given time. */
export async function reconcileSince(
  context: InboxContext,
  { since, tenant, signal }: ReturnType<typeof readReconcile>,
): Promise<Reconciled> {
  const all = await context.store.transaction(() =>
    sql<List>("SELECT tenant, kind, watermark FROM {inbox_watermarks} ORDER BY tenant, kind"),
  );
  const lists = all.filter((list) => tenant === undefined || list.tenant === tenant);
  if (tenant !== undefined && lists.length === 0) {
    throw unknownTenant(
      tenant,
      all.map((list) => list.tenant),
    );
  }
  const from = lists.map((list) => ({ ...list, watermark: since?.getTime() ?? list.watermark }));
  const { failures, listed, missed } = await walkAll(context, from, signal);
  if (failures.length > 0) throw signal.aborted ? failures.at(-1) : failures[0];
  return { listed, missed };
}

/** Checks every list, even if others fail: one tenant's revoked key must not hold up the rest. */
async function walkAll(context: InboxContext, lists: readonly List[], signal: AbortSignal) {
  const found = { listed: 0, missed: 0, failures: [] as unknown[], unread: new Set(lists) };
  for (const list of lists) {
    try {
      const { listed, missed } = await walk(context, list, signal);
      found.listed += listed;
      found.missed += missed;
      found.unread.delete(list);
    } catch (error) {
      found.failures.push(error);
      if (signal.aborted) break;
      const { tenant, kind } = list;
      context.report({ type: "failed", tenant, kind, error });
    }
  }
  return found;
}

/** Reads one list from its newest item down to the watermark, then advances the watermark. */
async function walk(
  { store, clientOf, report }: InboxContext,
  { tenant, kind, watermark: stored }: List,
  signal: AbortSignal,
): Promise<Reconciled> {
  const [start] = await store.transaction(() => sql<{ now: number }>("SELECT {now} AS now"));
  const startedAt = start?.now ?? stored;
  const isAhead = stored > startedAt + overlapMs;
  const watermark = isAhead ? startedAt - maxOpenMs : stored;
  if (isAhead) {
    const error = clockWasAhead(`The ${kind} list is read again from seven days ago.`);
    report({ type: "failed", tenant, error });
  }
  const list: AsyncIterable<Listed> = resourceOf(clientOf(tenant), kind).list(
    { limit: pageSize },
    { signal },
  );
  const found = { listed: 0, missed: 0 };
  let batch: Listed<string>[] = [];
  const flush = async () => {
    const items = batch;
    batch = [];
    if (items.length > 0) found.missed += await compare(store, tenant, kind, items);
  };
  let oldestOpen = startedAt;
  // The watermark follows the service's clock: the database's may be ahead of it.
  let newest = watermark;
  let last = Number.POSITIVE_INFINITY;
  let isNewestFirst = true;
  for await (const listed of list) {
    // It may be null.
    const item: Listed = Object(listed);
    // NaN if it is unreadable: such an item is never too old, and holds nothing back.
    const createdAt = timeOf(item.createdAt);
    if (createdAt > last) isNewestFirst = false;
    if (!Number.isNaN(createdAt)) last = createdAt;
    if (createdAt > newest) newest = createdAt;
    // Strictly less: items created exactly at the watermark are checked again.
    if (createdAt < watermark - overlapMs) {
      if (isNewestFirst) break;
      continue;
    }
    found.listed++;
    const id = storable(item.id);
    if (id === undefined) {
      report({ type: "failed", tenant, kind, error: unusableId(kind, item) });
      continue;
    }
    if (createdAt < oldestOpen && !isEnded(item.status)) oldestOpen = createdAt;
    if (batch.push({ ...item, id }) >= batchSize) await flush();
  }
  await flush();
  const next = Math.max(watermark, Math.min(oldestOpen, newest), startedAt - maxOpenMs);
  await store.transaction(() =>
    sql(
      `UPDATE {inbox_watermarks} SET missed = missed + $4,
  watermark = CASE WHEN watermark BETWEEN $6 AND $3 OR watermark > {now} + $5 THEN $3 ELSE watermark END
WHERE tenant = $1 AND kind = $2`,
      // The watermark stays if a later `since` left a gap after it unread.
      [tenant, kind, next, found.missed, overlapMs, watermark],
    ),
  );
  report({ type: "reconciled", tenant, kind, ...found });
  return found;
}

/** Marks items as changed if their status is not the last settled one. */
async function compare(
  store: Store,
  tenant: string,
  kind: SubjectKind,
  items: readonly Listed<string>[],
): Promise<number> {
  const work = function* (): Work<number> {
    const rows = yield* sql<{ subject: string; status: string | null; is_changed: number }>(
      `SELECT subject, status, CASE WHEN news > seen THEN 1 ELSE 0 END AS is_changed
FROM {inbox_subjects} WHERE tenant = $1 AND kind = $2 AND by_order = 0
  AND subject IN (SELECT value FROM {json each}($3))`,
      [tenant, kind, JSON.stringify(items.map(({ id }) => id))],
    );
    const known = new Map(rows.map((row) => [row.subject, row]));
    let missed = 0;
    for (const { id, status } of items) {
      const row = known.get(id);
      if (row?.is_changed || (row?.status && !isNews(kind, row.status, status))) continue;
      missed++;
      yield* noteNews({ tenant, kind, subject: id });
    }
    return missed;
  };
  return store.transaction(work, { wake: "inbox" });
}

function isEnded(status: unknown): boolean {
  return typeof status === "string" && isFinal(status);
}

/** Lists lag: a status that precedes the settled one is not a change, nor is an unreadable one. */
function isNews(kind: SubjectKind, settled: string, listed: unknown): boolean {
  return (
    typeof listed === "string" &&
    stateOf(kind, settled) !== stateOf(kind, listed) &&
    fetchedRank(kind, listed) >= signedRank(kind, settled)
  );
}
