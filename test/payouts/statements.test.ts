import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hashOf, inLedger } from "../../src/payouts/journal.ts";
import { readRows } from "../../src/payouts/plan.ts";
import { newestFirst, readStats } from "../../src/payouts/stats.ts";
import { payoutTables } from "../../src/payouts/tables.ts";
import { verifyJournal } from "../../src/payouts/verify.ts";
import { postgres } from "../../src/stores/postgres.ts";
import { migrate, type Store, sql } from "../../src/stores/store.ts";
import { canonicalJson } from "../../src/values.ts";
import { createPostgresDatabase, openInMemory, postgresServer } from "../databases.ts";

const server = await postgresServer();

describe.skipIf(server === undefined)("a payout ledger on PostgreSQL", () => {
  const count = 5_000;
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
  let pool: pg.Pool;
  let store: Store;
  beforeAll(async () => {
    database = await createPostgresDatabase(server ?? "");
    // Plans as for larger tables.
    const options = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off";
    pool = new pg.Pool({ connectionString: database.url, max: 1, options });
    store = postgres(pool);
    await migrate(store, payoutTables);
    const body = canonicalJson({ amountInCents: 1, recipientAddress: "0x", x: "x".repeat(1_000) });
    const entries = Array.from({ length: 2 * count }, (_, index) => ({
      tenant: "",
      seq: index + 1,
      at: 0,
      order_id: `${(index >> 1) + 1}`,
      event: index % 2 ? "refused" : "planned",
      details: index % 2 ? "{}" : `{"body":${body},"by":null}`,
      hash: "",
    }));
    let last = "";
    for (const entry of entries) {
      last = hashOf("", entry, last);
      entry.hash = last;
    }
    await pool.query(
      "INSERT INTO settlekit.payout_journal SELECT * FROM json_populate_recordset(NULL::settlekit.payout_journal, $1)",
      [JSON.stringify(entries)],
    );
    await pool.query(`INSERT INTO settlekit.payout_heads (tenant, seq, hash, touched_at) VALUES ('', ${2 * count}, '${last}', 0);
INSERT INTO settlekit.payouts (tenant, order_id, body, amount, recipient, idempotency_key, state,
  chained, planned_at, reserved_at, final_at, due_at)
SELECT '', number, '${body}', 1, '0x', '', 'refused', 1, 0, 0, 0, 0 FROM generate_series(1, ${count}) AS number`);
    await pool.query(`INSERT INTO settlekit.payouts (tenant, order_id, body, amount, recipient, idempotency_key, state, planned_at, due_at)
VALUES ('other', '1', '${body}', 1, '0x', '', 'planned', 0, 0)`);
    await pool.query("VACUUM ANALYZE settlekit.payouts, settlekit.payout_journal");
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** The largest number of rows that one of the transactions reads. */
  async function mostRead(work: (store: Store) => Promise<unknown>) {
    // These counters also hold those of earlier transactions.
    const count = () =>
      sql<{ rows: number }>(
        "SELECT sum(seq_tup_read + idx_tup_fetch) AS rows FROM pg_stat_xact_user_tables WHERE relname LIKE 'payout%'",
      );
    let most = 0;
    const transaction: Store["transaction"] = (run, options) =>
      store.transaction(function* () {
        const [before] = yield* count();
        const result = yield* run();
        const [after] = yield* count();
        most = Math.max(most, (after?.rows ?? 0) - (before?.rows ?? 0));
        return result;
      }, options);
    await work({ ...store, transaction });
    return most;
  }

  it("reads no payouts that ended long ago for its statistics", async () => {
    const most = await mostRead(async (counting) => {
      const { states } = await counting.transaction(() => readStats(""));
      expect(states.refused).toBe(count);
    });
    // The head.
    expect(most).toBe(1);
  });

  it("reads no payouts of other tenants for a list", async () => {
    const most = await mostRead(async (counting) => {
      const rows = await counting.transaction(() => readRows("other", undefined, 100, 0));
      expect(rows).toHaveLength(1);
      const page = await newestFirst(counting, "other").next();
      expect(page.value).toMatchObject({ data: [{ orderId: "1" }] });
    });
    expect(most).toBeLessThan(10);
  });

  it("reads no more at a time for its check as its journal grows", async () => {
    const most = await mostRead(async (counting) => {
      expect(await verifyJournal(counting, "")).toEqual({ ok: true, entries: 2 * count });
    });
    expect(most).toBeLessThan(count / 2);
  });
});

it("a page of payouts on SQLite is read without sorting all of them", async () => {
  const { db, open } = openInMemory();
  const store = open();
  await migrate(store, payoutTables);
  const prepare = vi.spyOn(db, "prepare");
  for (const state of [undefined, "sent"] as const) {
    await store.transaction(() => readRows("", state, 100, 0));
    await newestFirst(store, "", state).next();
  }
  const texts = prepare.mock.calls
    .map(([text]) => text)
    .filter((text) => text.includes("ORDER BY"));
  expect(texts).toHaveLength(4);
  const plans = texts.map((text) => db.prepare(`EXPLAIN QUERY PLAN ${text}`).all());
  expect(JSON.stringify(plans)).not.toContain("FOR ORDER BY");
});

// A database keeps what it prepared as long as its connection lives.
it("a journal prepares few different statements, however many entries it adds at once", async () => {
  const { db, open } = openInMemory();
  const store = open();
  await migrate(store, payoutTables);
  const prepare = vi.spyOn(db, "prepare");
  let entries = 0;
  for (let count = 1; count <= 100; count += 3) {
    entries += count;
    await store.transaction(() =>
      inLedger("", function* ({ lock, note }) {
        yield* lock();
        for (let index = 0; index < count; index++) note(null, "noted");
      }),
    );
  }
  const texts = prepare.mock.calls.map(([text]) => text);
  expect(new Set(texts.filter((text) => text.includes("payout_journal"))).size).toBeLessThan(15);
  expect(await verifyJournal(store, "")).toEqual({ ok: true, entries });
});
