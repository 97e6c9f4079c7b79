import { expect, it } from "vitest";
import { readPast } from "../../src/payouts/attempts.ts";
import { minute, opened, order, quietMs, type World } from "./world.ts";

const hour = 60 * minute;
const day = 24 * hour;
const month = 30 * day;

/** Sets the ledger's clock back. The service's clock stayed correct, so its list still shows its withdrawals. */
async function setBack(world: World, ms: number): Promise<void> {
  await world.advance(-ms);
  world.lagMs = -ms;
}

it("continues with every payout after the database's clock was ahead and is set back, and reports that", async () => {
  const { world, payouts, events } = await opened({ limits: { perDay: 40_000 } });
  await world.advance(month);
  world.fates.push("unanswered", "lost");
  for (const orderId of ["made", "lost", "tracked"]) await payouts.plan({ ...order, orderId });
  // A request whose response is lost ends a run.
  for (let n = 0; n < 3; n++) await payouts.runDue({ concurrency: 1 });
  await payouts.plan({ ...order, orderId: "planned", amountInCents: 20_000 });
  // A worker that has crashed since holds this one.
  world.query(
    "UPDATE settlekit_payouts SET lease_until = due_at, due_at = 0 WHERE order_id = 'tracked'",
  );
  await setBack(world, month);
  const { withdrawalId = "" } = (await payouts.get("tracked")) ?? {};
  await world.sandbox.withdrawals.simulate(withdrawalId, "complete");
  await world.live(payouts, 30 * minute);
  expect((await payouts.stats()).states).toMatchObject({ sent: 2, completed: 1, planned: 1 });
  expect(world.made).toHaveLength(3);
  // Sent payouts count towards the day on which the clock was set back.
  await world.live(payouts, day, hour);
  expect((await payouts.stats()).states).toMatchObject({ sent: 3, completed: 1 });
  expect(events.filter(({ type }) => type === "failed")).toMatchObject([
    {
      error: {
        code: "clock_was_ahead",
        message: expect.stringMatching(/was ahead.*are due now \(4\)/),
      },
    },
  ]);
  expect((await payouts.verify()).ok).toBe(true);
});

it("waits for both quiet times after its clock was set back before it sends again", async () => {
  const { world, payouts } = await opened();
  await world.advance(month);
  world.fates.push("lost");
  await payouts.plan(order);
  await payouts.runDue();
  await setBack(world, month);
  const { now } = world;
  await world.live(payouts, 30 * minute, 10_000);
  const again = world.creations[1]?.at ?? 0;
  expect(again).toBeGreaterThanOrEqual(now + 2 * quietMs);
  expect(world.listings.at(-1)).toBe(again);
});

it("leaves a payout in doubt to a person an hour after its clock was set back", async () => {
  const { world, payouts, state } = await opened();
  await world.advance(month);
  world.fates.push(...Array<"lost">(99).fill("lost"));
  await payouts.plan(order);
  await payouts.runDue();
  await setBack(world, month);
  await world.live(payouts, 75 * minute);
  expect(await state()).toBe("needs_decision");
});

it("does not rely on a key that was first sent in the future", async () => {
  const { world, payouts } = await opened();
  await world.advance(day);
  await payouts.plan(order);
  await payouts.runDue();
  await setBack(world, day);
  const past = await world.store().transaction(() => readPast(1, quietMs));
  expect(past).toMatchObject({ requests: 1, isKeyAlive: false });
});

it("treats a key of unknown age as expired", async () => {
  const wire = { withdrawalIdempotency: "honoured" } as const;
  const { world, payouts, state } = await opened({ client: { wire } });
  await world.advance(3 * day);
  world.fates.push("unanswered");
  await payouts.plan(order);
  await payouts.runDue();
  // Two days later, the service has forgotten the key: it makes a withdrawal for each request.
  await setBack(world, day);
  await world.live(payouts, 30 * minute);
  expect(await state()).toBe("sent");
  expect(world.made).toHaveLength(1);
});
