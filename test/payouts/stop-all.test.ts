import { expect, it } from "vitest";
import { minute, opened, order } from "./world.ts";

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
