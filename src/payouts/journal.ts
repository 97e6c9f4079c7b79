import { hash } from "node:crypto";
import { type SqlValue, type Store, sql, type Work } from "../stores/store.ts";
import { canonicalJson } from "../values.ts";

/** A journal entry. The journal is append-only. */
export interface JournalEntry {
  /** 1 for the tenant's first entry. */
  readonly seq: number;
  readonly at: Date;
  /** Undefined for entries about all payouts. */
  readonly orderId: string | undefined;
  /** The action, such as `planned`, `sending` or `completed`. */
  readonly event: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** SHA-256 of this entry and the previous entry's hash, in hexadecimal. */
  readonly hash: string;
}

export interface JournalRow {
  readonly seq: number;
  readonly at: number;
  readonly order_id: string | null;
  readonly event: string;
  readonly details: string;
  readonly hash: string;
}

const journalColumns = "seq, at, order_id, event, details, hash";

/** The journal and the breaker within one transaction. */
export interface Ledger {
  readonly tenant: string;
  /** Takes the journal's lock until the commit: no other process of this tenant reserves, records or stops anything. */
  lock(): Work<Head>;
  /**
   * Adds an entry at the end of the unit of work.
   *
   * @param at When it happened, if not now.
   */
  note(orderId: string | null, event: string, details?: Record<string, unknown>, at?: number): void;
  /** Opens the breaker: nothing is sent until a person calls `reopen`. False if it was already open. */
  stop(orderId: string | null, because: string): Work<boolean>;
}

/** The last entry that a process knows to be committed; `seq` is 0 if there is none. */
export interface JournalEnd {
  readonly seq: number;
  readonly hash: string;
}

export const noEntry: JournalEnd = { seq: 0, hash: "" };

/** The row of `payout_heads`: the journal's recorded end, the breaker, and what is known about the merchant. */
interface Head extends JournalEnd {
  readonly stopped_at: number | null;
  readonly stopped_because: string | null;
  readonly accepted_seq: number;
  readonly merchant_id: string | null;
  readonly sender: string | null;
  readonly listed_to: number | null;
  /** The database's clock. */
  readonly now: number;
  /** The hash of the entry that the process knows. */
  readonly known_hash: string;
  /** The last existing entry; null if there is none. */
  readonly last: number | null;
}

/**
 * Runs a unit of work, then adds its notes to the tenant's journal. The journal's lock serialises a tenant's decisions,
 * so that limits hold and the chain has one end. It is taken last, after the locks of payouts, and held only for the
 * few statements before the commit, so that several processes can send at once.
 *
 * @param known The last entry that this process knows, which becomes the one at the end of the unit of work.
 */
export function* inLedger<T>(
  tenant: string,
  work: (ledger: Ledger) => Work<T>,
  onStop: (reason: string) => void = () => {},
  known: { end: JournalEnd } = { end: noEntry },
): Work<T> {
  const notes: Note[] = [];
  const note: Ledger["note"] = (orderId, event, details = {}, at) => {
    notes.push({ orderId, event, details: canonicalJson(details), at });
  };
  const noteStop = (orderId: string | null, because: string) => {
    note(orderId, "stopped", { because });
    onStop(because);
  };
  let locked: Head | undefined;
  function* head(): Work<Head> {
    if (locked === undefined) {
      locked = yield* lock(tenant, known.end, (because) => noteStop(null, because));
      known.end = locked;
    }
    return locked;
  }
  const result = yield* work({
    tenant,
    lock: head,
    note,
    *stop(orderId, because) {
      yield* head();
      const opened = yield* sql(
        `UPDATE {payout_heads} SET stopped_at = {now}, stopped_because = $2
WHERE tenant = $1 AND stopped_at IS NULL RETURNING tenant`,
        [tenant, because],
      );
      if (opened.length > 0) noteStop(orderId, because);
      return opened.length > 0;
    },
  });
  if (notes.length > 0) known.end = yield* append(tenant, yield* head(), notes);
  return result;
}

interface Note {
  readonly orderId: string | null;
  readonly event: string;
  readonly details: string;
  readonly at: number | undefined;
}

/** A small number, because databases keep each statement that differs. */
const entriesAtOnce = 10;

/** Appends entries, and moves the journal's end, which it returns. */
function* append(tenant: string, head: Head, notes: readonly Note[]): Work<JournalEnd> {
  let { seq, hash: previous } = head;
  for (let first = 0; first < notes.length; first += entriesAtOnce) {
    const values: SqlValue[] = [tenant];
    const rows = notes
      .slice(first, first + entriesAtOnce)
      .map(({ orderId, event, details, at = head.now }) => {
        seq++;
        previous = hashOf(tenant, { seq, at, order_id: orderId, event, details }, previous);
        const row = [seq, at, orderId, event, details, previous];
        const end = values.push(...row);
        return `($1, ${row.map((_, index) => `$${end - row.length + index + 1}`).join(", ")})`;
      });
    yield* sql(
      `INSERT INTO {payout_journal} (tenant, ${journalColumns}) VALUES ${rows.join(", ")}`,
      values,
    );
  }
  yield* sql("UPDATE {payout_heads} SET seq = $2, hash = $3 WHERE tenant = $1", [
    tenant,
    seq,
    previous,
  ]);
  return { seq, hash: previous };
}

const endIsLost =
  "The journal has entries, but the row that records its end was missing. It was recreated from the last entry.";
const endIsOld =
  "The journal has entries after its recorded end. The last one is now recorded as the end.";

const commitsAreLost = (seq: number) =>
  `The database has lost commits: it no longer has journal entry ${seq}, which this process knows. An older state was ` +
  "restored, or a replica without it has taken over. Payouts may have been sent that are now planned again. Before you reopen, follow " +
  '"After a restore or a failover" in the guide to payouts.';

/** A head, with the hash of the entry with the number `$2`. */
const headColumns = `seq, hash, stopped_at, stopped_because, accepted_seq, merchant_id, sender, listed_to,
  COALESCE((SELECT hash FROM {payout_journal} WHERE tenant = $1 AND seq = $2), '') AS known_hash`;

function* lock(tenant: string, known: JournalEnd, onStop: (because: string) => void): Work<Head> {
  const take = () =>
    sql<Head>(
      `UPDATE {payout_heads} SET touched_at = {now} WHERE tenant = $1
RETURNING ${headColumns}, touched_at AS now, (SELECT max(seq) FROM {payout_journal} WHERE tenant = $1) AS last`,
      [tenant, known.seq],
    );
  const [head] = yield* take();
  if (head) {
    const last = head.last ?? 0;
    const isOld = last > head.seq;
    // Entries that are only missing from the journal were removed by hand, which the journal check reports.
    const isLost = last === head.seq && head.known_hash !== known.hash;
    if (!isOld && !isLost) return head;
    if (isOld) {
      // A partial backup was restored. Without the right end, nothing could be appended, not even a note about this.
      yield* sql(
        `UPDATE {payout_heads} SET seq = $2, hash = (SELECT hash FROM {payout_journal} WHERE tenant = $1 AND seq = $2)
WHERE tenant = $1`,
        [tenant, last],
      );
    }
    const because = isOld ? endIsOld : commitsAreLost(known.seq);
    yield* sql(
      `UPDATE {payout_heads} SET stopped_at = {now}, stopped_because = $2
WHERE tenant = $1 AND stopped_at IS NULL`,
      [tenant, because],
    );
    onStop(because);
    return (yield* take())[0] as Head;
  }
  // Someone may have removed the row to close an open breaker.
  const restored = yield* sql(
    `INSERT INTO {payout_heads} (tenant, seq, hash, touched_at, stopped_at, stopped_because)
SELECT tenant, seq, hash, {now}, {now}, $2 FROM {payout_journal} WHERE tenant = $1 ORDER BY seq DESC LIMIT 1
ON CONFLICT DO NOTHING RETURNING tenant`,
    [tenant, endIsLost],
  );
  if (restored.length > 0) onStop(endIsLost);
  yield* sql(
    "INSERT INTO {payout_heads} (tenant, seq, hash, touched_at) VALUES ($1, 0, '', {now}) ON CONFLICT DO NOTHING",
    [tenant],
  );
  const [made] = yield* take();
  return made as Head;
}

/** The breaker's state and the journal's end, without locking. */
export function* readHead(tenant: string, known = noEntry): Work<Omit<Head, "last"> | undefined> {
  const [head] = yield* sql<Omit<Head, "last">>(
    `SELECT ${headColumns}, {now} AS now FROM {payout_heads} WHERE tenant = $1`,
    [tenant, known.seq],
  );
  return head;
}

/** SHA-256 of an entry and the previous entry's hash. */
export function hashOf(tenant: string, row: Omit<JournalRow, "hash">, previous: string): string {
  const { seq, at, order_id: orderId, event, details } = row;
  const content = { tenant, seq, at, orderId, event, details, previous };
  return hash("sha256", canonicalJson(content), "hex");
}

/** How many entries are read at a time. */
export const pageSize = 500;

/** A page of entries after `after`, oldest first; only one order's if given. */
export function readJournal(tenant: string, after: number, orderId?: string): Work<JournalRow[]> {
  const [ofOrder, values] = orderId === undefined ? ["", []] : ["AND order_id = $3", [orderId]];
  return sql<JournalRow>(
    `SELECT ${journalColumns} FROM {payout_journal} WHERE tenant = $1 AND seq > $2 ${ofOrder}
ORDER BY seq LIMIT ${pageSize}`,
    [tenant, after, ...values],
  );
}

/** All entries of one order. */
export function* readEntries(tenant: string, orderId: string): Work<JournalRow[]> {
  const entries: JournalRow[] = [];
  for (;;) {
    const page = yield* readJournal(tenant, entries.at(-1)?.seq ?? 0, orderId);
    if (page.length === 0) return entries;
    entries.push(...page);
  }
}

/** All entries, or one order's, read page by page. */
export async function* entriesOf(
  store: Store,
  tenant: string,
  orderId: string | undefined,
): AsyncGenerator<JournalEntry> {
  let seq = 0;
  for (;;) {
    const after = seq;
    const rows = await store.transaction(() => readJournal(tenant, after, orderId));
    if (rows.length === 0) return;
    for (const row of rows) yield entryFrom(row);
    seq = rows.at(-1)?.seq ?? seq;
  }
}

function entryFrom(row: JournalRow): JournalEntry {
  const { seq, at, order_id, event, details, hash } = row;
  return {
    seq,
    at: new Date(at),
    orderId: order_id ?? undefined,
    event,
    details: JSON.parse(details) as Record<string, unknown>,
    hash,
  };
}
