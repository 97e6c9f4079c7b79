import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import { call, type Store } from "../../src/stores/store.ts";
import { databases, postgresServer, type TestDatabase } from "../databases.ts";
import { order, World } from "./world.ts";

const server = await postgresServer();
const [, openDatabase] = databases.find(([name]) => name === "PostgreSQL") ?? [];

describe.skipIf(server === undefined || openDatabase === undefined)(
  "two processes on PostgreSQL",
  () => {
    let database: TestDatabase;
    let world: World;
    let payouts: ReturnType<World["open"]>;
    /** Another process's connection, with an open transaction. */
    let other: pg.Client;
    beforeEach(async () => {
      if (openDatabase === undefined) throw new Error("There is no database.");
      database = await openDatabase();
      world = await World.on(database);
      payouts = world.open({ limits: { perDay: order.amountInCents } });
      await payouts.migrate();
      other = new pg.Client(database.address);
      await other.connect();
      await other.query("BEGIN");
    });
    afterEach(async () => {
      await other.end();
      await database.close();
    });

    const lockJournal = () =>
      other.query("UPDATE settlekit.payout_heads SET touched_at = touched_at");
    const untilWaiting = () =>
      vi.waitFor(async () => {
        const waiting = await database.query(
          "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        );
        expect(waiting).toHaveLength(1);
      });

    it("cannot both use the rest of a budget", async () => {
      // The list is read now, and not while the journal is locked.
      const amountInCents = order.amountInCents + 1;
      await world.open().plan({ ...order, orderId: "above the limit", amountInCents });
      await payouts.runDue();
      for (const orderId of ["first", "second"]) await payouts.plan({ ...order, orderId });
      // Another process has reserved for the first payout, and has not committed.
      await lockJournal();
      await other.query(
        `UPDATE settlekit.payouts SET state = 'sending', reserved_at = ${world.now}, due_at = due_at + 1e12::bigint WHERE order_id = 'first'`,
      );
      const running = payouts.runDue();
      await untilWaiting();
      await other.query("COMMIT");
      await running;
      expect(world.made).toEqual([]);
      expect((await payouts.get("second"))?.problem).toMatch(/limits.perDay .* are used/);
    });

    it.each([
      ["answered", { state: "sent", problem: undefined }],
      ["lost", { state: "sending", problem: expect.stringMatching(/^Outcome unknown/) }],
    ] as const)(
      "do not deadlock if one resumes when another is releasing its payout: %s",
      async (fate, payout) => {
        // Another process locks the payout, then its attempts, as one that releases it does.
        world.onCreation = async () =>
          void (await other.query("UPDATE settlekit.payouts SET failures = failures"));
        world.fates.push(fate);
        await payouts.plan(order);
        const running = payouts.runDue();
        await untilWaiting();
        await other.query("UPDATE settlekit.payout_attempts SET outcome = outcome");
        await other.query("COMMIT");
        await running;
        expect(await payouts.get(order.orderId)).toMatchObject(payout);
      },
    );

    it("report a new payout once, and not after it was sent", async () => {
      const told: string[] = [];
      const onEvent = (event: PayoutsEvent) =>
        told.push(event.type === "changed" ? event.payout.state : event.type);
      const store = world.store();
      await store.transaction(() => call((tx) => payouts.plan(order, { tx }) as never));
      const first = world.open({ onEvent });
      let isFirstDone = false;
      const transaction: Store["transaction"] = (work, options) =>
        store.transaction(function* () {
          const steps = work();
          let step = steps.next();
          while (!step.done) {
            const result = yield step.value;
            const isRead = "text" in step.value && /chained = 0 ORDER BY/.test(step.value.text);
            if (isRead && !isFirstDone) {
              yield* call(() => first.runDue());
              isFirstDone = true;
            }
            step = steps.next(result);
          }
          return step.value;
        }, options);
      await world.open({ store: { ...store, transaction }, onEvent }).runDue();
      expect(isFirstDone).toBe(true);
      expect(told).toEqual(["planned", "sent"]);
    });

    it("use the budget of the next day if they waited for each other beyond midnight", async () => {
      await payouts.plan(order);
      await world.advance(12 * 3_600_000 - 1_000);
      await lockJournal();
      const running = payouts.runDue();
      await untilWaiting();
      await world.advance(2_000);
      await other.query("COMMIT");
      await running;
      expect(world.made).toHaveLength(1);
      expect((await payouts.stats()).takenToday).toBe(order.amountInCents);
    });
  },
);
