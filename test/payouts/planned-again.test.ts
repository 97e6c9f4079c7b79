import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import { inLedger } from "../../src/payouts/journal.ts";
import { databases, type TestDatabase } from "../databases.ts";
import { minute, order, World } from "./world.ts";

const elsewhere = "0x1111111111111111111111111111111111111111";

describe.each(databases)("on %s, a payout that the journal has recorded", (_, openDatabase) => {
  let database: TestDatabase;
  let world: World;
  let payouts: ReturnType<World["open"]>;
  let events: PayoutsEvent[];
  beforeEach(async () => {
    database = await openDatabase();
    world = await World.on(database);
    events = [];
    payouts = world.open({
      onEvent: (event) => events.push(event),
      limits: { perDay: order.amountInCents },
    });
    await payouts.migrate();
    await payouts.plan(order);
    await payouts.runDue();
    // Waits for the next day.
    await payouts.plan({ ...order, orderId: "waiting" });
    await payouts.runDue();
  });
  afterEach(() => database.close());

  /** Alters the tables outside the ledger, after a worker has checked them. */
  const alter = (text: string) => database.query(world.store().dialect.expand(text));

  async function expectStopped(orderId: string) {
    const requests = () => world.creations.filter(({ body }) => body.orderId === orderId).length;
    const before = requests();
    await world.live(payouts, 24 * 60 * minute, 60 * minute);
    expect(world.creations).toHaveLength(1);
    const reason = expect.stringMatching(`${orderId} is new, but the journal has entries for it`);
    expect(events).toContainEqual({ type: "stopped", tenant: "", reason });
    expect((await payouts.stats()).stopped?.reason).toEqual(reason);
    expect((await payouts.verify()).ok).toBe(false);
    // Closing the breaker does not make the ledger send it.
    await payouts.reopen({ by: "ann", reason: "a mistake" });
    await world.live(payouts);
    expect(requests()).toBe(before);
  }

  it("is not paid again when its row is reset to that of a new payout", async () => {
    await alter("DELETE FROM {payout_attempts}");
    await alter(`UPDATE {payouts} SET chained = 0, state = 'planned', withdrawal_id = NULL, final_at = NULL,
  sent_at = NULL, reserved_at = NULL, doubt_since = NULL, due_at = 0, lease_until = 0
WHERE order_id = '${order.orderId}'`);
    await expectStopped(order.orderId);
  });

  it("is not paid again when its row is removed and it is planned again", async () => {
    await alter("DELETE FROM {payout_attempts}");
    await alter(`DELETE FROM {payouts} WHERE order_id = '${order.orderId}'`);
    await payouts.plan(order);
    await expectStopped(order.orderId);
  });

  it("is not sent to an address that replaced the planned one", async () => {
    await alter(`UPDATE {payouts} SET chained = 0, recipient = '${elsewhere}',
  body = replace(body, '${order.recipientAddress}', '${elsewhere}') WHERE order_id = 'waiting'`);
    await expectStopped("waiting");
  });

  it("counts as altered if the journal has it planned twice", async () => {
    const entry = { body: { ...order, orderId: "waiting" }, by: null };
    await world.store().transaction(() =>
      inLedger("", function* (ledger) {
        yield* ledger.lock();
        ledger.note("waiting", "planned", entry);
      }),
    );
    const problem = "The payout waiting was planned twice.";
    expect(await payouts.verify()).toEqual({ ok: false, at: 5, problem });
  });
});
