import { expect, it, vi } from "vitest";
import { readDoubts } from "../../src/payouts/trouble.ts";
import { minute, opened, order, type World } from "./world.ts";

const doubtsOf = (world: World, tenant = "") => world.store().transaction(() => readDoubts(tenant));
const none = { isInDoubt: false, isTooSoon: false };

async function plan(payouts: Awaited<ReturnType<typeof opened>>["payouts"], count: number) {
  for (let n = 0; n < count; n++) await payouts.plan({ ...order, orderId: `p${n}` });
}

it("does not take requests in progress for unanswered ones before their claims have run out", async () => {
  const { world, payouts } = await opened();
  const response = Promise.withResolvers<void>();
  world.onCreation = () => response.promise;
  await plan(payouts, 3);
  const running = payouts.runDue();
  await vi.waitFor(() => expect(world.creations).toHaveLength(3));
  expect(await doubtsOf(world)).toEqual(none);
  await world.advance(15 * minute);
  expect(await doubtsOf(world)).toMatchObject({ isInDoubt: true });
  response.resolve();
  await running;
  expect(await doubtsOf(world)).toEqual(none);
});

it("does not take a request for unanswered whose response leaves a decision to a person", async () => {
  const { world, payouts, state } = await opened();
  world.change = (body) => ({ ...body, amountInCents: 1_000 });
  await payouts.plan(order);
  await payouts.runDue();
  expect(await state()).toBe("needs_decision");
  expect(await doubtsOf(world)).toEqual(none);
});

it("keeps the unanswered and the answered requests of each merchant apart", async () => {
  const { world, payouts } = await opened({ tenant: "a" });
  const others = world.open({ tenant: "b" });
  await plan(payouts, 3);
  world.fates.push("lost", "lost", "lost");
  for (let n = 0; n < 3; n++) await payouts.runDue({ concurrency: 1 });
  await world.advance(1);
  await plan(others, 1);
  await others.runDue();
  expect((await others.get("p0"))?.state).toBe("sent");
  expect(await doubtsOf(world, "a")).toEqual({ isInDoubt: true, isTooSoon: true });
});
