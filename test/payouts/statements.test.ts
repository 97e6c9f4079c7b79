import pg from "pg";
import { describe, expect, it } from "vitest";
import { readStats } from "../../src/payouts/stats.ts";
import { payoutTables } from "../../src/payouts/tables.ts";
import { postgres } from "../../src/stores/postgres.ts";
import { migrate, type Store, sql } from "../../src/stores/store.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";

const server = await postgresServer();

describe.skipIf(server === undefined)("a payout ledger on PostgreSQL", () => {
  it("reads no payouts that ended long ago for its statistics", async () => {
    const { url, drop } = await createPostgresDatabase(server ?? "");
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const store: Store = postgres(pool);
    await migrate(store, payoutTables);
    await pool.query(`INSERT INTO settlekit.payouts (tenant, order_id, body, amount, recipient, idempotency_key, state,
  planned_at, reserved_at, final_at, due_at)
SELECT '', number, repeat('x', 1000), 1, '', '', 'completed', 0, 0, 0, 0 FROM generate_series(1, 5000) AS number`);
    await pool.query(
      "INSERT INTO settlekit.payout_heads (tenant, seq, hash, touched_at) VALUES ('', 0, '', 0)",
    );
    await pool.query("VACUUM ANALYZE settlekit.payouts");
    const rowsRead = await store.transaction(function* () {
      const { states } = yield* readStats("");
      expect(states.completed).toBe(5_000);
      const [count] = yield* sql<{ rows: number }>(
        `SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables
WHERE relname = 'payouts'`,
      );
      return count?.rows;
    });
    expect(rowsRead).toBe(0);
    await pool.end();
    await drop();
  });
});
