import { type Store, sql, type Work } from "../stores/store.ts";
import { canonicalJson, parsedJson } from "../values.ts";
import {
  hashOf,
  type JournalRow,
  type Ledger,
  pageSize,
  readEntries,
  readJournal,
} from "./journal.ts";
import { isAsPlanned, type PayoutRow, payoutColumns } from "./payout.ts";

/** The result of `payouts.verify`: the number of entries, or the first one that was altered. */
export type Verification =
  | { readonly ok: true; readonly entries: number }
  | { readonly ok: false; readonly at: number; readonly problem: string };

/** Reads the journal from an entry on, and compares the payouts with it. Throws the signal's reason if it aborts. */
export async function verifyJournal(
  store: Store,
  tenant: string,
  after = 0,
  signal?: AbortSignal,
): Promise<Verification> {
  const end = await store.transaction(() => readEnd(tenant));
  const [first] = after > 0 ? await store.transaction(() => readJournal(tenant, after - 1)) : [];
  let previous = first?.hash ?? "";
  let seq = after;
  let stoppedAt: number | undefined;
  while (seq < end.seq) {
    await pause(signal);
    const rows = await store.transaction(() => readJournal(tenant, seq));
    for (const row of rows) {
      const problem = problemOf(tenant, row, seq + 1, previous);
      if (problem !== undefined) return { ok: false, at: seq + 1, problem };
      seq = row.seq;
      previous = row.hash;
      if (seq <= end.seq && row.event === "stopped") stoppedAt = seq;
      if (seq <= end.seq && row.event === "reopened") stoppedAt = undefined;
      if (seq === end.seq && previous !== end.hash) {
        return { ok: false, at: seq, problem: "The last entry is not the one that was written." };
      }
    }
    if (rows.length === 0) {
      return { ok: false, at: seq + 1, problem: `Entry ${seq + 1} and all after it are missing.` };
    }
  }
  if (end.last > end.seq) {
    const problem = `The journal ends with entry ${end.last}, but its end is recorded as ${end.seq}.`;
    return { ok: false, at: end.seq + 1, problem };
  }
  if (stoppedAt !== undefined && end.stopped_at === null) {
    return { ok: false, at: stoppedAt, problem: "The breaker was closed without reopen." };
  }
  return (await alteredPayout(store, tenant, [after, seq], signal)) ?? { ok: true, entries: seq };
}

/** Yields to other work between two pages: on SQLite, reading one blocks the event loop. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/** The journal's actual end, and the recorded one. */
function* readEnd(tenant: string) {
  const [end] = yield* sql<{ last: number; seq: number; hash: string; stopped_at: number | null }>(
    `SELECT COALESCE(last, 0) AS last, COALESCE(seq, 0) AS seq, COALESCE(hash, '') AS hash, stopped_at
FROM (SELECT max(seq) AS last FROM {payout_journal} WHERE tenant = $1) AS entries
LEFT JOIN {payout_heads} ON tenant = $1`,
    [tenant],
  );
  return end ?? { last: 0, seq: 0, hash: "", stopped_at: null };
}

function problemOf(
  tenant: string,
  row: JournalRow,
  seq: number,
  previous: string,
): string | undefined {
  if (row.seq !== seq) return `Entry ${seq} is missing.`;
  if (row.hash === hashOf(tenant, row, previous)) return undefined;
  return `Entry ${seq} (${row.event} of ${row.order_id ?? "all payouts"}) does not match its hash: it or the previous entry was altered.`;
}

/** The first payout that differs from its entries. */
async function alteredPayout(
  store: Store,
  tenant: string,
  [after, last]: readonly [number, number],
  signal: AbortSignal | undefined,
): Promise<Verification | undefined> {
  for (let first = after; first < last; first += pageSize) {
    await pause(signal);
    const [missing] = await store.transaction(() => readMissing(tenant, first));
    if (missing === undefined) continue;
    const { order_id: orderId, seq } = missing;
    return { ok: false, at: seq, problem: `The payout ${orderId} is missing.` };
  }
  let orderId: string | undefined;
  for (;;) {
    await pause(signal);
    const told = await store.transaction(() => readTold(tenant, orderId));
    const payouts = Map.groupBy(told, (entry) => entry.id);
    for (const entries of payouts.values()) {
      const [row] = entries as [ToldRow];
      orderId = row.order_id;
      const altered = alterationOf(row, row.seq === null ? [] : entries, after);
      if (altered === undefined) continue;
      const problem = `The payout ${row.order_id} ${altered.what}.`;
      return { ok: false, at: altered.at, problem };
    }
    // SQLite may find the last one again: an order id that is no valid text is read as another one.
    if (payouts.size < payoutsAtOnce) return undefined;
  }
}

type ToldRow = JournalRow & PayoutRow;

const payoutsAtOnce = 200;

/** A batch of payouts with their entries. One statement, because a payout and its entries change together. */
function readTold(tenant: string, after: string | undefined): Work<ToldRow[]> {
  // An order id that was inserted outside the ledger may be empty.
  const isNext = after === undefined ? ">=" : ">";
  return sql<ToldRow>(
    `SELECT seq, at, event, details, hash, ${payoutColumns}
FROM {payouts} LEFT JOIN {payout_journal} USING (tenant, order_id)
WHERE tenant = $1 AND order_id IN (
  SELECT order_id FROM {payouts} WHERE tenant = $1 AND order_id ${isNext} $2 ORDER BY order_id LIMIT ${payoutsAtOnce}
) ORDER BY order_id, seq`,
    [tenant, after ?? ""],
  );
}

/** The first payout that is missing, of a page of entries. */
function readMissing(tenant: string, after: number): Work<{ seq: number; order_id: string }[]> {
  return sql(
    `SELECT seq, order_id FROM {payout_journal} AS entries
WHERE tenant = $1 AND seq > $2 AND seq <= $2 + ${pageSize} AND event = 'planned' AND NOT EXISTS (
  SELECT 1 FROM {payouts} WHERE tenant = $1 AND order_id = entries.order_id
) ORDER BY seq LIMIT 1`,
    [tenant, after],
  );
}

/** Whether the row still matches its journal. If the row was altered, the breaker opens. */
export function* agreesWithJournal(ledger: Ledger, row: PayoutRow): Work<boolean> {
  const entries = yield* readEntries(ledger.tenant, row.order_id);
  const altered = alterationOf(row, entries);
  if (altered === undefined) return true;
  yield* ledger.stop(
    row.order_id,
    `The payout ${row.order_id} ${altered.what}: it was changed outside the ledger.`,
  );
  return false;
}

type Entry = Pick<JournalRow, "seq" | "event" | "details">;

interface Facts {
  readonly parameters: unknown;
  readonly planner: unknown;
  readonly approver: unknown;
  readonly withdrawal: unknown;
  readonly attempts: unknown;
  readonly state: unknown;
}

/** An entry's claims about its payout: for each fact, the values allowed from then on. */
type Told = Partial<Record<keyof Facts, readonly unknown[]>>;

/**
 * The first fact in which a payout differs from its entries, oldest first, and the entry that states it. Facts stated
 * by entries up to `after` are not compared.
 */
function alterationOf(
  row: PayoutRow,
  entries: readonly Entry[],
  after = 0,
): { readonly at: number; readonly what: string } | undefined {
  const facts = new Map<string, { readonly at: number; readonly values: readonly unknown[] }>();
  for (const entry of entries) {
    // A second plan would override the entries before it.
    if (entry.event === "planned" && facts.has("parameters")) {
      if (entry.seq > after) return { at: entry.seq, what: "was planned twice" };
      continue;
    }
    const isApproved = facts.get("approver")?.values.includes(null) === false;
    for (const [fact, values] of Object.entries(toldBy(entry, isApproved))) {
      facts.set(fact, { at: entry.seq, values });
    }
  }
  const problem = facts.has("parameters") ? undefined : withoutPlan(row);
  if (problem !== undefined) {
    // A payout that is still open would be sent.
    const at = entries[0]?.seq ?? (row.final_at === null ? after + 1 : 1);
    if (at > after) return { at, what: problem };
  }
  const actual: Facts = {
    parameters: parametersOf(row.body, row.amount, row.recipient),
    planner: row.planned_by,
    approver: row.approved_by,
    withdrawal: row.withdrawal_id,
    attempts: row.attempts,
    state: row.state,
  };
  for (const [fact, { at, values }] of facts) {
    const isSame = values.includes(actual[fact as keyof Facts]);
    if (at > after && !isSame) return { at, what: `differs from its journal in its ${fact}` };
  }
  return undefined;
}

/** What is wrong with a payout whose plan is not in the journal, or not yet. */
function withoutPlan(row: PayoutRow): string | undefined {
  if (!isAsPlanned(row)) return "differs from what was planned";
  return row.chained === 1 ? "was never planned" : undefined;
}

function toldBy({ event, details }: Entry, isApproved: boolean): Told {
  // An altered entry may no longer be JSON.
  const told: Readonly<Record<string, unknown>> = Object(parsedJson(details));
  // A payout whose request was not sent is released without an entry.
  const unsent = isApproved ? "approved" : "planned";
  switch (event) {
    case "planned":
      return {
        ...unplanned,
        parameters: [plannedParameters(told.body)],
        planner: [told.by],
        state: [event],
      };
    case "approved":
      return { approver: [told.by], state: [event] };
    case "sending":
      return { attempts: [told.attempt], state: [event, unsent] };
    case "sent":
      return { withdrawal: [told.withdrawalId], state: [event] };
    case "resolved":
      if (told.neverSent === true) return { state: [told.sendAgain ? unsent : "cancelled"] };
      return { withdrawal: [told.withdrawalId], state: ["sent"] };
    case "rejected":
      return { state: ["refused"] };
    case "completed":
    case "failed":
    case "cancelled":
    case "refused":
    case "needs_decision":
      return { state: [event] };
    default:
      return {};
  }
}

const unplanned: Told = { approver: [null], withdrawal: [null], attempts: [0] };

function plannedParameters(body: unknown): string {
  const { amountInCents, recipientAddress } = Object(body);
  return parametersOf(canonicalJson(body ?? null), amountInCents, recipientAddress);
}

/** The columns that the limits add up must match the body. */
function parametersOf(body: string, amount: unknown, recipient: unknown): string {
  return JSON.stringify([body, amount, String(recipient).toLowerCase()]);
}
