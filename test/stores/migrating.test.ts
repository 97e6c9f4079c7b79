import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { payoutTables } from "../../src/payouts/tables.ts";
import { postgres } from "../../src/stores/postgres.ts";
import { migrate } from "../../src/stores/store.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";

const server = await postgresServer();

let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
let pool: pg.Pool;
beforeAll(async () => {
  if (server === undefined) return;
  database = await createPostgresDatabase(server);
  // Such that PostgreSQL never ends a deadlock by failing the migration, which has to give way by itself.
  const options = "-c deadlock_timeout=1h";
  pool = new pg.Pool({ connectionString: database.url, max: 3, options });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

it.skipIf(server === undefined)(
  "gives way to running workers of the older version instead of a deadlock with them",
  async () => {
    const store = postgres(pool);
    const migrations = payoutTables.migrations.slice(0, 2);
    await migrate(store, { ...payoutTables, migrations });
    // As a worker begins an attempt: first the journal's lock, then the attempt.
    const worker = await pool.connect();
    await worker.query("BEGIN");
    // Usually one second, in which the migration gives way unless the machine is busy.
    await worker.query("SET LOCAL deadlock_timeout TO '5s'");
    await worker.query("LOCK TABLE settlekit.payout_heads IN ROW EXCLUSIVE MODE");
    const migrated = migrate(store, payoutTables);
    await vi.waitFor(async () => {
      const { rows } = await pool.query(
        "SELECT pid FROM pg_locks WHERE relation = 'settlekit.payout_heads'::regclass AND NOT granted",
      );
      expect(rows).toHaveLength(1);
    });
    await worker.query(
      "INSERT INTO settlekit.payout_attempts (payout_id, fence, started_at, left_by) VALUES (1, 1, 0, 0)",
    );
    await worker.query("COMMIT");
    worker.release();
    expect(await migrated).toBe(2);
  },
);
