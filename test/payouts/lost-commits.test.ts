import { expect, it } from "vitest";
import { minute, opened, order } from "./world.ts";

const tables = ["payouts", "payout_attempts", "payout_journal", "payout_heads"].map(
  (name) => `settlekit_${name}`,
);

/** A ledger whose database can fail over to a replica that is as old as the backup. */
async function failingOver(options: Parameters<typeof opened>[0] = {}) {
  const { world, payouts, events } = await opened(options);
  await payouts.plan(order);
  const backUp = async () => {
    for (const table of tables)
      await world.query(
        `DROP TABLE IF EXISTS old_${table}; CREATE TABLE old_${table} AS SELECT * FROM ${table}`,
      );
  };
  await backUp();
  const failOver = async () => {
    for (const table of tables)
      await world.query(`DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM old_${table}`);
  };
  const stops = () => events.filter(({ type }) => type === "stopped");
  return { world, payouts, backUp, failOver, stops };
}

it("stops payouts, instead of repeating one, after a failover lost the commits about its request", async () => {
  const { world, payouts, failOver, stops } = await failingOver();
  await payouts.runDue();
  await failOver();
  await payouts.runDue();
  expect(world.made).toHaveLength(1);
  expect((await payouts.stats()).stopped?.reason).toMatch(/has lost commits.*journal entry 3/);
  expect(stops()).toHaveLength(1);
  expect(await payouts.verify()).toEqual({ ok: true, entries: 2 });
});

it("notices that in a process that has only seen the commits", async () => {
  const { world, payouts, failOver } = await failingOver();
  const other = world.open();
  await other.runDue({ signal: AbortSignal.abort() });
  await payouts.runDue();
  await other.runDue();
  await failOver();
  await other.runDue();
  expect(world.made).toHaveLength(1);
  expect((await other.stats()).stopped?.reason).toMatch(/has lost commits/);
});

it("notices that after other entries took the place of the lost ones", async () => {
  const { world, payouts, failOver } = await failingOver();
  await payouts.runDue();
  await failOver();
  const other = world.open();
  for (const orderId of ["b", "c", "d"]) await other.plan({ ...order, orderId });
  await payouts.runDue();
  expect(world.made).toHaveLength(1);
  expect((await payouts.stats()).stopped?.reason).toMatch(/has lost commits/);
});

it("keeps the reason for which payouts are already stopped", async () => {
  const { world, payouts, backUp, failOver } = await failingOver();
  await payouts.stopAll({ by: "ann", reason: "an audit" });
  const { stopped } = await payouts.stats();
  await backUp();
  await payouts.cancel(order.orderId, { by: "ann" });
  await failOver();
  await world.advance(minute);
  await payouts.cancel(order.orderId, { by: "ann" });
  expect((await payouts.stats()).stopped).toEqual(stopped);
});

it("continues once a person has closed the breaker, and then looks first", async () => {
  const { world, payouts, failOver, stops } = await failingOver({ lookFirst: true });
  await payouts.runDue();
  await failOver();
  await payouts.plan({ ...order, orderId: "next" });
  await payouts.reopen({ by: "ann", reason: "looks first" });
  await payouts.runDue();
  expect((await payouts.stats()).states).toMatchObject({ sent: 2 });
  expect(world.made).toHaveLength(2);
  expect(stops()).toHaveLength(1);
});

it("does not count the list as read if commits were lost meanwhile, even if others took their place", async () => {
  const { world, payouts, failOver } = await failingOver();
  const paid = (orderId: string) => world.client().withdrawals.create({ ...order, orderId });
  await paid("oldest");
  await payouts.runDue();
  await world.sandbox.clock.advance("1h");
  await paid("newest");
  // The first page has the payout's withdrawal, which the ledger still knows then.
  world.pageSize = 2;
  let isLost = false;
  const beforeRequest = async ({ request }: { request: Request }) => {
    if (isLost || !request.url.includes("offset=1")) return;
    isLost = true;
    await failOver();
    const other = world.open();
    for (const orderId of ["b", "c", "d", "e"]) await other.plan({ ...order, orderId });
  };
  const reader = world.open({ client: { hooks: { beforeRequest: [beforeRequest as never] } } });
  await reader.plan({ ...order, orderId: "next" });
  await reader.runDue();
  expect(isLost).toBe(true);
  await reader.reopen({ by: "ann", reason: "The failover is over." });
  await world.live(reader);
  expect(world.made.filter(({ orderId }) => orderId === order.orderId)).toHaveLength(1);
});
