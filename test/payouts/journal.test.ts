import { describe, expect, it } from "vitest";
import { inLedger } from "../../src/payouts/journal.ts";
import { settle } from "../../src/payouts/settle.ts";
import { call } from "../../src/stores/store.ts";
import { minute, opened, order, World } from "./world.ts";

const by = { by: "ann" };
const hour = 3_600_000;

describe("the journal", () => {
  async function altered(text: string) {
    const world = World.inMemory();
    const payouts = world.open({ limits: { approveAbove: 0 } });
    await payouts.migrate();
    for (const orderId of ["a", "b", "c"]) await payouts.plan({ ...order, orderId });
    await payouts.approve("a", by);
    await payouts.approve("b", by);
    await world.query(text);
    return { world, payouts };
  }

  const alterations: [what: string, text: string, at: number, problem: RegExp][] = [
    [
      "an entry's details were changed",
      `UPDATE settlekit_payout_journal SET details = replace(details, 'ann', 'eve') WHERE seq = 4`,
      4,
      /Entry 4 \(approved of a\) does not match its hash/,
    ],
    [
      "an entry is missing",
      "DELETE FROM settlekit_payout_journal WHERE seq = 2",
      2,
      /Entry 2 is missing/,
    ],
    [
      "the last entries are missing",
      "DELETE FROM settlekit_payout_journal WHERE seq > 3",
      4,
      /Entry 4 (is|and all after it are) missing/,
    ],
    [
      "an entry's time was changed",
      "UPDATE settlekit_payout_journal SET at = at + 1 WHERE seq = 1",
      1,
      /Entry 1 \(planned of a\)/,
    ],
    [
      "a payout's amount was changed",
      `UPDATE settlekit_payouts SET body = replace(body, '12500', '99999') WHERE order_id = 'b'`,
      2,
      /The payout b differs from its journal in its parameters/,
    ],
    [
      "a payout was approved without a person",
      `UPDATE settlekit_payouts SET state = 'approved', approved_by = 'eve' WHERE order_id = 'b'`,
      5,
      /The payout b differs from its journal in its approver/,
    ],
    [
      "a payout's state was changed",
      "UPDATE settlekit_payouts SET state = 'completed', final_at = 1 WHERE order_id = 'c'",
      3,
      /The payout c differs from its journal in its state/,
    ],
    [
      "a recipient was changed in the column that limits add up",
      "UPDATE settlekit_payouts SET recipient = '0x0' WHERE order_id = 'b'",
      2,
      /The payout b differs from its journal in its parameters/,
    ],
    [
      "an attempt was added",
      `INSERT INTO settlekit_payout_attempts (payout_id, fence, started_at, left_by)
SELECT id, 1, 1, 1 FROM settlekit_payouts WHERE order_id = 'c'`,
      3,
      /The payout c differs from its journal in its attempts/,
    ],
    [
      "a payout was removed",
      "DELETE FROM settlekit_payouts WHERE order_id = 'b'",
      2,
      /The payout b is missing/,
    ],
    [
      "a payout was added",
      `INSERT INTO settlekit_payouts
  (tenant, order_id, body, amount, recipient, idempotency_key, state, chained, approved_by, planned_at, due_at)
SELECT tenant, 'd', body, amount, recipient, idempotency_key, 'approved', 1, 'eve', 1, 1
FROM settlekit_payouts WHERE order_id = 'a'`,
      1,
      /The payout d was never planned/,
    ],
    [
      "a payout was added with an empty order id",
      `INSERT INTO settlekit_payouts
  (tenant, order_id, body, amount, recipient, idempotency_key, state, chained, approved_by, planned_at, due_at)
SELECT tenant, '', body, amount, recipient, idempotency_key, 'approved', 1, 'eve', 1, 1
FROM settlekit_payouts WHERE order_id = 'a'`,
      1,
      /The payout {2}was never planned/,
    ],
  ];
  it.each(alterations)("shows that %s, and no money moves", async (_, text, at, problem) => {
    const { world, payouts } = await altered(text);
    await payouts.runDue();
    expect(world.creations).toEqual([]);
    expect(await payouts.verify()).toEqual({
      ok: false,
      at,
      problem: expect.stringMatching(problem),
    });
    expect((await payouts.stats()).stopped?.reason).toMatch(problem);
    await payouts.runDue();
    expect(world.creations).toEqual([]);
  });

  it("does not send a payout again after its state and attempts were removed", async () => {
    const { world, payouts } = await altered("SELECT 1");
    await payouts.runDue();
    expect(world.creations).toHaveLength(2);
    await world.query("DELETE FROM settlekit_payout_attempts");
    await world.query(
      "UPDATE settlekit_payouts SET state = 'approved', withdrawal_id = NULL, sent_at = NULL, due_at = 0",
    );
    await payouts.runDue();
    expect(world.creations).toHaveLength(2);
    expect((await payouts.stats()).stopped?.reason).toMatch(/differs from its journal/);
  });

  it.each([
    ["closed without reopen", "UPDATE settlekit_payout_heads SET stopped_at = NULL"],
    ["removed", "DELETE FROM settlekit_payout_heads"],
  ])("opens the breaker again after it was %s", async (_, text) => {
    const { world, payouts } = await altered(alterations[0]?.[1] ?? "");
    await payouts.runDue();
    await payouts.reopen({ ...by, reason: "known" });
    await world.query("UPDATE settlekit_payouts SET amount = 1 WHERE order_id = 'b'");
    await world.query("UPDATE settlekit_payouts SET lease_until = 9e15 WHERE order_id = 'a'");
    await payouts.runDue();
    expect((await payouts.stats()).stopped).toBeDefined();
    await world.query(text);
    await world.open().runDue();
    expect((await payouts.stats()).stopped?.reason).toMatch(/without reopen|record/);
    expect(world.creations).toEqual([]);
  });

  it("is compared with a payout right before it is sent", async () => {
    const { world, payouts } = await altered("SELECT 1");
    await payouts.verify();
    world.fates.push("refused connection", "refused connection");
    await payouts.runDue();
    await world.query(
      `UPDATE settlekit_payouts SET body = replace(body, '0x5a', '0xFB') WHERE order_id = 'a'`,
    );
    await world.advance(hour);
    await payouts.runDue();
    expect(world.creations.map(({ body }) => body.orderId)).not.toContain("a");
    expect((await payouts.stats()).stopped?.reason).toMatch(/a differs from its journal/);
  });

  it.each([
    ["amount", "body = replace(body, '12500', '99999'), amount = 99999"],
    ["planner", "planned_by = 'eve'"],
    ["approver", "state = 'approved', approved_by = 'ann'"],
    ["body, which is no longer JSON", "body = ''"],
  ])("is compared with a payout before it is approved: its %s was changed", async (_, change) => {
    const { payouts, world } = await altered(
      `UPDATE settlekit_payouts SET ${change} WHERE order_id = 'c'`,
    );
    await expect(payouts.approve("c", by)).rejects.toEqual(
      expect.objectContaining({
        name: "InvalidRequestError",
        code: "altered",
        param: "orderId",
        message: expect.stringMatching(/"c" was changed .* was not approved/),
      }),
    );
    expect((await payouts.stats()).stopped?.reason).toMatch(/c differs from its journal/);
    const events = [];
    for await (const { event } of payouts.journal({ orderId: "c" })) events.push(event);
    expect(events).toEqual(["planned", "stopped"]);
    await payouts.runDue();
    expect(world.creations).toEqual([]);
  });

  it("determines what is sent, whatever the row contained when it was claimed", async () => {
    const { world, payouts } = await opened({ lookFirst: true });
    await payouts.runDue();
    await payouts.plan(order);
    const replace = (a: string, b: string) =>
      world.query(`UPDATE settlekit_payouts SET body = replace(body, '${a}', '${b}')`);
    await replace("12500", "99999");
    world.answer = (method) => void (method === "GET" && replace("99999", "12500"));
    await payouts.runDue();
    expect(world.creations.map(({ body }) => body)).toEqual([expect.objectContaining(order)]);
  });

  it("continues after an alteration that a person has accepted", async () => {
    const { world, payouts } = await altered(alterations[3]?.[1] ?? "");
    await payouts.runDue();
    expect((await payouts.stats()).stopped).toBeDefined();
    await payouts.reopen({ ...by, reason: "restored from a backup" });
    const next = world.open();
    await next.runDue();
    expect((await next.stats()).stopped).toBeUndefined();
    expect((await payouts.verify()).ok).toBe(false);
  });

  it("is checked to its end even if an accepted payout's order id is no valid text", async () => {
    const { world, payouts } = await altered(`INSERT INTO settlekit_payouts
  (tenant, order_id, body, amount, recipient, idempotency_key, state, chained, planned_at, final_at, due_at)
SELECT tenant, CAST(x'7aff' AS TEXT), body, amount, recipient, idempotency_key, 'refused', 1, 1, 1, 1
FROM settlekit_payouts WHERE order_id = 'a'`);
    await payouts.runDue();
    await payouts.reopen({ ...by, reason: "known" });
    await world.open().runDue();
    expect(world.creations).toHaveLength(3);
  });

  it("records that a payout was planned before it records that another program sent it", async () => {
    const world = World.inMemory();
    const store = world.store();
    const payouts = world.open({ store });
    await payouts.migrate();
    await store.transaction(() => call((tx) => payouts.plan(order, { tx }) as never));
    const withdrawal = await world.client().withdrawals.create(order);
    await store.transaction(() =>
      inLedger("", (ledger) => settle(ledger, order.orderId, withdrawal)),
    );
    await payouts.runDue();
    expect(await payouts.verify()).toEqual({ ok: true, entries: 2 });
  });

  it("returns a payout's entries in order", async () => {
    const { payouts } = await altered("SELECT 1");
    const entries = [];
    for await (const entry of payouts.journal({ orderId: "a" })) entries.push(entry);
    expect(entries.map(({ seq, event }) => [seq, event])).toEqual([
      [1, "planned"],
      [4, "approved"],
    ]);
    expect(entries[0]?.details).toMatchObject({ body: { amountInCents: 12_500 } });
  });
});

it("continues after its last entry, and stops payouts, when part of a backup was restored", async () => {
  const { world, payouts } = await opened();
  await payouts.plan(order);
  await payouts.runDue();
  await payouts.plan({ ...order, orderId: "p2" });
  world.query(`UPDATE settlekit_payout_heads SET seq = 1,
  hash = (SELECT hash FROM settlekit_payout_journal WHERE seq = 1)`);
  expect((await payouts.verify()).ok).toBe(false);
  expect((await payouts.stats()).stopped?.reason).toContain("after its recorded end");
  await payouts.runDue();
  expect(world.made).toHaveLength(1);
  await payouts.reopen({ by: "ann", reason: "restored Monday's backup" });
  await payouts.runDue();
  expect(world.made).toHaveLength(2);
  expect((await payouts.verify()).ok).toBe(true);
});

it("the breaker can be opened by a person, for every process", async () => {
  const { world, payouts } = await opened();
  await payouts.plan(order);
  await expect(payouts.stopAll({ by: "ann", reason: "" })).rejects.toThrow(/reason/);
  expect(await payouts.stopAll({ by: "ann", reason: "a leaked key" })).toBe(true);
  expect(await payouts.stopAll({ by: "ann", reason: "again" })).toBe(false);
  await world.live(world.open(), 10 * minute);
  expect(world.creations).toEqual([]);
  expect((await payouts.stats()).stopped?.reason).toBe(
    'ann stopped them, with the reason "a leaked key".',
  );
  await payouts.reopen({ by: "ann", reason: "a new key" });
  await payouts.runDue();
  expect((await payouts.get(order.orderId))?.state).toBe("sent");
  expect((await payouts.verify()).ok).toBe(true);
});
