import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { claim, claimLimit, subjectQueue } from "../../src/inbox/claims.ts";
import { inboxTables } from "../../src/inbox/tables.ts";
import { postgres } from "../../src/stores/postgres.ts";
import { migrate, type Store, sql } from "../../src/stores/store.ts";
import { signWebhook } from "../../src/webhooks/index.ts";
import { createPostgresDatabase, postgresServer } from "../databases.ts";
import { ship, shops } from "./shop.ts";

// Connections keep a plan for each text of a statement.

describe.each(shops)("an inbox on %s", (name, it) => {
  it("uses the same statements for any number of payments, and of tenants that cannot be read", async ({
    shop,
  }) => {
    const { inbox, store } = shop.openProcess({
      client(tenant) {
        if (tenant.startsWith("revoked")) throw new Error("There is no key for it.");
        return shop.client;
      },
      webhooks: () => shop.webhooks,
    });
    ship(inbox);
    inbox.fetchHandler({ tenant: "shop" });
    const expand = vi.spyOn(store.dialect, "expand");
    // Without the claim that tries tenants again that could not be read, which waits for its time.
    const isProbe = (text: string) => text.includes("tenant IN (");
    const texts = () =>
      new Set(expand.mock.calls.map(([text]) => text).filter((it) => !isProbe(it)));
    const revoke = async (tenant: string) => {
      await shop.paid("order");
      await shop.query(`UPDATE {inbox_subjects} SET tenant = '${tenant}' WHERE tenant = ''`);
    };
    await revoke("revoked_1");
    await inbox.reconcile();
    await inbox.settleDue();
    const before = texts();
    await revoke("revoked_2");
    await revoke("revoked_3");
    await inbox.reconcile();
    await inbox.settleDue();
    expect(texts()).toEqual(before);
  });

  // SQLite chooses keys that are free.
  if (name === "PostgreSQL") {
    it("does not take a webhook for a repetition where generated keys begin again, as on a logical replica", async ({
      shop,
    }) => {
      await shop.paid("order_1");
      await shop.query("ALTER TABLE {inbox_deliveries} ALTER id RESTART");
      const { request } = signWebhook({
        event: { event: "payment.updated", data: { id: "p", status: "completed", orderId: "o" } },
        secret: shop.sandbox.webhookSecret,
      });
      expect((await shop.handle(request("http://shop.example/"))).status).toBe(500);
    });
  }
});

const server = await postgresServer();

describe.skipIf(server === undefined)("a claim of an inbox on PostgreSQL", () => {
  it("reads few rows beside those it claims, whatever plan is cached", async () => {
    const { url, drop } = await createPostgresDatabase(server ?? "");
    const options = "-c plan_cache_mode=force_generic_plan";
    const pool = new pg.Pool({ connectionString: url, max: 1, options });
    const store: Store = postgres(pool);
    await migrate(store, inboxTables);
    const now = store.dialect.expand("{now}");
    // Settled ones, ones that wait for their next attempt, and a backlog.
    for (const [tenant, seen, inMs] of [
      ["settled", 2, 0],
      ["waiting", 1, 3_600_000],
      ["due", 1, 0],
    ]) {
      await pool.query(`INSERT INTO settlekit.inbox_subjects (tenant, kind, subject, news, seen, changed_at, due_at)
SELECT '${tenant}', 'payment', number, 2, ${seen}, 0, ${now} + ${inMs} FROM generate_series(1, 5000) AS number`);
    }
    await pool.query("ANALYZE settlekit.inbox_subjects");
    const rowsRead = await store.transaction(function* () {
      const count = () =>
        sql<{ rows: number }>(
          `SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables
WHERE relname = 'inbox_subjects'`,
        );
      const [before] = yield* count();
      const { claims } = yield* claim(subjectQueue);
      expect(claims).toHaveLength(claimLimit);
      const [after] = yield* count();
      return (after?.rows ?? 0) - (before?.rows ?? 0);
    });
    expect(rowsRead).toBeLessThan(5 * claimLimit);
    await pool.end();
    await drop();
  });
});
