import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import { payoutTables } from "../../src/payouts/tables.ts";
import { ledgerClient } from "../../src/resources/payouts/ledger-client.ts";
import { call, migrate } from "../../src/stores/store.ts";
import { databases, type TestDatabase } from "../databases.ts";
import { minute, order, World } from "./world.ts";

const by = { by: "ann" };
const elsewhere = "0x1111111111111111111111111111111111111111";
const differs = /payout_1 differs from what was planned/;

describe.each(databases)(
  "on %s, a payout planned in the merchant's transaction",
  (_, openDatabase) => {
    let database: TestDatabase;
    let world: World;
    let payouts: ReturnType<World["open"]>;
    let events: PayoutsEvent[];
    let plan: (input: typeof order) => Promise<unknown>;
    beforeEach(async () => {
      database = await openDatabase();
      world = await World.on(database);
      const store = world.store();
      events = [];
      payouts = world.open({ store, onEvent: (event) => events.push(event) });
      plan = (input) =>
        store.transaction(() => call((tx) => payouts.plan(input, { tx, by: "shop" }) as never));
    });
    afterEach(() => database.close());

    /** Alters the tables outside the ledger. */
    const alter = (text: string) => database.query(world.store().dialect.expand(text));

    it.each([
      ["amount", "body = replace(body, '12500', '99900'), amount = 99900"],
      ["amount in the column that limits add up", "amount = 1"],
      ["recipient", `body = replace(body, '${order.recipientAddress}', '${elsewhere}')`],
      ["recipient in the column that limits add up", `recipient = '${elsewhere}'`],
      ["planner", "planned_by = 'eve'"],
      ["body, which is no longer JSON,", "body = ''"],
    ])("is not sent if its %s was changed before its first entry", async (_, change) => {
      await payouts.migrate();
      await plan(order);
      await alter(`UPDATE {payouts} SET ${change}`);
      const problem = "The payout payout_1 differs from what was planned.";
      expect(await payouts.verify()).toEqual({ ok: false, at: 1, problem });
      expect((await payouts.stats()).stopped?.reason).toMatch(differs);
      await payouts.runDue();
      expect(world.creations).toEqual([]);
      const listed = await payouts.list();
      expect(listed.map(({ orderId, state }) => [orderId, state])).toEqual([
        [order.orderId, "planned"],
      ]);
      expect(await payouts.cancel(order.orderId, by)).toMatchObject({ state: "cancelled" });
    });

    it("opens the breaker when a worker finds it changed, until a person has cancelled it", async () => {
      await payouts.migrate();
      await payouts.runDue();
      await plan(order);
      await plan({ ...order, orderId: "payout_2" });
      await alter(`UPDATE {payouts} SET body = replace(body, '12500', '99900'), amount = 99900
WHERE order_id = 'payout_1'`);
      await payouts.runDue();
      expect(events).toContainEqual({
        type: "stopped",
        tenant: "",
        reason: expect.stringMatching(differs),
      });
      // Closing the breaker does not make the ledger send it.
      await payouts.reopen({ ...by, reason: "a mistake" });
      await world.live(payouts);
      expect(world.creations.map(({ body }) => body.orderId)).not.toContain(order.orderId);
      expect((await payouts.stats()).stopped?.reason).toMatch(differs);
      await payouts.cancel(order.orderId, by);
      await payouts.reopen({ ...by, reason: "cancelled" });
      await world.open().runDue();
      await payouts.runDue();
      expect((await payouts.stats()).stopped).toBeUndefined();
      expect(world.creations.map(({ body }) => body.orderId)).toEqual(["payout_2"]);
    });

    it("cannot be approved after it was changed, which opens the breaker", async () => {
      await payouts.migrate();
      await plan(order);
      await alter("UPDATE {payouts} SET planned_by = 'eve'");
      for (let n = 0; n < 2; n++) {
        await expect(payouts.approve(order.orderId, by)).rejects.toThrow(/was not approved/);
      }
      expect((await payouts.get(order.orderId))?.state).toBe("planned");
      expect((await payouts.stats()).stopped?.reason).toMatch(differs);
      await payouts.reopen({ ...by, reason: "a mistake" });
      await world.live(payouts);
      expect(world.creations).toEqual([]);
    });

    it("has a first entry with the time at which it was planned", async () => {
      await payouts.migrate();
      await plan(order);
      await world.advance(10 * minute);
      await payouts.runDue();
      const times = [];
      for await (const { event, at } of payouts.journal()) times.push([event, at.getTime()]);
      const { plannedAt } = (await payouts.get(order.orderId)) ?? {};
      expect(times[0]).toEqual(["planned", plannedAt?.getTime()]);
      expect(times[1]).toEqual(["sending", Number(plannedAt) + 10 * minute]);
      expect(await payouts.verify()).toEqual({ ok: true, entries: 3 });
    });

    it("is sent if a version of settlekit without hashes planned it, before or after the migration", async () => {
      const migrations = payoutTables.migrations.slice(0, 1);
      await migrate(world.store(), { ...payoutTables, migrations });
      const body = { amountInCents: 12_500, chainId: 84_532, currency: "USD" };
      const planBefore = async (orderId: string) => {
        const { recipientAddress } = order;
        // With its keys sorted.
        const text = JSON.stringify({ ...body, orderId, recipientAddress });
        const key = ledgerClient(world.client().withdrawals).keyOf(orderId);
        await alter(`INSERT INTO {payouts}
  (tenant, order_id, body, amount, recipient, idempotency_key, state, planned_by, planned_at, due_at)
VALUES ('', '${orderId}', '${text}', 12500, '${recipientAddress.toLowerCase()}', '${key}', 'planned', 'shop', 1, 1)`);
      };
      await planBefore("before");
      await payouts.migrate();
      await planBefore("after");
      expect(await payouts.verify()).toEqual({ ok: true, entries: 0 });
      await payouts.runDue();
      expect(world.made).toHaveLength(2);
      expect(await payouts.verify()).toEqual({ ok: true, entries: 6 });
    });
  },
);
