import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { databases, postgresServer } from "../databases.ts";
import { order, World } from "./world.ts";

const server = await postgresServer();
const [, openDatabase] = databases.find(([name]) => name === "PostgreSQL") ?? [];

describe.skipIf(server === undefined || openDatabase === undefined)(
  "two processes on PostgreSQL",
  () => {
    it("cannot both use the rest of a budget", async () => {
      const database = await openDatabase?.();
      if (database === undefined) throw new Error("There is no database.");
      const world = await World.on(database);
      const payouts = world.open({ limits: { perDay: order.amountInCents } });
      await payouts.migrate();
      for (const orderId of ["first", "second"]) await payouts.plan({ ...order, orderId });

      // Another process has reserved for the first payout, and has not committed.
      const other = new pg.Client(database.address);
      await other.connect();
      await other.query("BEGIN");
      await other.query("UPDATE settlekit.payout_heads SET touched_at = touched_at");
      await other.query(
        `UPDATE settlekit.payouts SET state = 'sending', reserved_at = ${world.now}, due_at = due_at + 1e12::bigint WHERE order_id = 'first'`,
      );
      const running = payouts.runDue();
      await vi.waitFor(async () => {
        const waiting = await database.query(
          "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        expect(waiting).toHaveLength(1);
      });
      await other.query("COMMIT");
      await running;
      expect(world.made).toEqual([]);
      expect((await payouts.get("second"))?.problem).toMatch(/limits.perDay .* are used/);
      await other.end();
      await database.close();
    });
  },
);
