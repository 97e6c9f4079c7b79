import { describe, expect, it, onTestFinished } from "vitest";
import { createInbox } from "../../src/inbox/index.ts";
import type { Withdrawal } from "../../src/index.ts";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import { inLedger } from "../../src/payouts/journal.ts";
import { call, type Store } from "../../src/stores/store.ts";
import { databases } from "../databases.ts";
import { minute, opened, order, World } from "./world.ts";

describe("a payout's new state", () => {
  it("is reported once, even if a webhook arrives before the response", async () => {
    const afterResponse = async (request: Request) => {
      const [withdrawal] = world.made;
      if (request.method === "POST" && withdrawal) await world.report(withdrawal.id);
    };
    const client = { hooks: { afterResponse: [({ request }: never) => afterResponse(request)] } };
    const { world, payouts, told, state } = await opened({ client });
    await payouts.plan(order);
    await payouts.runDue();
    expect(await state()).toBe("sent");
    // The webhook's effect reports it.
    expect(told()).toEqual(["planned"]);
  });

  it("is not reported for a refusal that comes after the withdrawal", async () => {
    const { world, payouts, told, state } = await opened();
    await payouts.plan(order);
    world.onCreation = async () => {
      if (world.creations.length > 1) return;
      const { id } = await world.client().withdrawals.create(order);
      world.change = (body) => ({ ...body, amountInCents: 0 });
      await world.report(id);
    };
    await payouts.runDue();
    expect(await state()).toBe("sent");
    expect(told()).not.toContain("sent");
  });
});

describe.each(databases)("on %s, an order with several withdrawals", (_, openDatabase) => {
  it.each([3, 4])("is reported with all %d that exist before the first request", async (count) => {
    const world = await worldOn();
    const payouts = world.open({ lookFirst: true });
    await payouts.migrate();
    const ids = await paidBy(world, count);
    await payouts.plan(order);
    await payouts.runDue();
    await expectAll(payouts, ids);
    expect((await payouts.stats()).stopped?.reason).toContain(`It has ${count} withdrawals`);

    await payouts.resolve(order.orderId, { by: "ann", withdrawalId: String(ids[1]) });
    await payouts.reopen({ by: "ann", reason: "a script paid it" });
    for (const id of ids) await world.report(id);
    expect(await payouts.get(order.orderId)).toMatchObject({ state: "sent", withdrawalId: ids[1] });
    expect(await payouts.verify()).toMatchObject({ ok: true });
  });

  it("is reported with those that a later lookup finds, too", async () => {
    const world = await worldOn();
    const payouts = world.open();
    await payouts.migrate();
    world.fates.push("unanswered");
    await payouts.plan(order);
    await payouts.runDue();
    await paidBy(world, 2);
    await world.live(payouts, 10 * minute);
    const ids = world.made.map(({ id }) => id);
    await expectAll(payouts, ids);
    ids.push(...(await paidBy(world, 1)));
    for (const id of ids) await world.report(id);
    await expectAll(payouts, ids);
  });

  async function worldOn(): Promise<World> {
    const database = await openDatabase();
    onTestFinished(() => database.close());
    return World.on(database);
  }

  /** Pays the order as other programs would. */
  async function paidBy(world: World, count: number): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) ids.push((await world.client().withdrawals.create(order)).id);
    return ids;
  }

  /** The payout and its journal name all of them. */
  async function expectAll(payouts: ReturnType<World["open"]>, ids: string[]): Promise<void> {
    const { state, problem } = (await payouts.get(order.orderId)) ?? {};
    expect(state).toBe("needs_decision");
    expect(problem).toContain(`It has ${ids.length} withdrawals`);
    for (const id of ids) expect(problem).toContain(id);
    let named: unknown;
    for await (const { event, details } of payouts.journal({ orderId: order.orderId })) {
      if (event === "needs_decision") named = details.withdrawals;
    }
    expect(new Set(named as string[])).toEqual(new Set(ids));
  }
});

it("ends a payout when its withdrawal first ended, however often that is reported", async () => {
  const { world, payouts } = await opened();
  await payouts.plan(order);
  await payouts.runDue();
  const [{ id }] = world.made as [Withdrawal];
  await world.sandbox.withdrawals.simulate(id, "complete");
  await world.live(payouts, minute);
  const ended = await payouts.get(order.orderId);
  expect(ended).toMatchObject({ finalAt: expect.any(Date), transactionHash: expect.any(String) });
  await world.advance(24 * 60 * minute);
  // A report need not repeat the hash.
  world.answer = () => Response.json({ ...order, id, status: "completed" });
  await world.report(id);
  expect(await payouts.get(order.orderId)).toEqual(ended);
});

it("does not make the journal look altered when a cancelled payout has a cancelled withdrawal", async () => {
  const { world, payouts, state } = await opened();
  await payouts.plan(order);
  await payouts.cancel(order.orderId, { by: "ann" });
  const { id } = await world.client().withdrawals.create(order);
  await world.sandbox.withdrawals.simulate(id, "cancel");
  await world.report(id);
  expect(await state()).toBe("cancelled");
  expect((await payouts.stats()).stopped?.reason).toContain("is cancelled, but has the withdrawal");
  expect(await payouts.verify()).toMatchObject({ ok: true });
});

it.each(["amountInCents", "orderId"] as const)(
  "lets a person cancel a payout that the service answered with another system's withdrawal, with another %s",
  async (field) => {
    const { world, payouts, state } = await opened();
    world.change = (body) => ({ ...body, [field]: field === "orderId" ? "another" : 700 });
    await payouts.plan(order);
    await payouts.runDue();
    expect(await state()).toBe("needs_decision");
    await world.advance(5 * minute);
    const neverSent = { by: "ann", neverSent: true } as const;
    await expect(payouts.resolve(order.orderId, neverSent)).rejects.toThrow(
      /The service has created \S+ for "payout_1"\. Resolve it with the right withdrawal\./,
    );
    await payouts.resolve(order.orderId, { ...neverSent, sendAgain: false });
    await payouts.reopen({ by: "ann", reason: "prefixes" });
    await world.report((world.made as [Withdrawal])[0].id);
    expect(await state()).toBe("cancelled");
    expect((await payouts.stats()).stopped).toBeUndefined();
    expect((await payouts.verify()).ok).toBe(true);
  },
);

it("completes a payout by webhook although the service has made a number of its orderId", async () => {
  const world = World.inMemory();
  const store = world.store();
  const inbox = createInbox({ client: world.client(), store });
  const payouts = world.open({ store, inbox });
  await inbox.migrate();
  await payouts.migrate();
  await inbox.settleDue();
  const orderId = "42";
  const made = { ...order, orderId: Number(orderId), id: "w_1", status: "completed" };
  world.answer = (method) =>
    Response.json(method === "POST" ? { ...made, status: "pending" } : made);
  await payouts.plan({ ...order, orderId });
  await payouts.runDue();
  await inbox.settle({ kind: "withdrawal", id: made.id });
  expect((await payouts.get(orderId))?.state).toBe("completed");
});

const [, openPostgres] = databases.find(([name]) => name === "PostgreSQL") ?? [];

it.skipIf(openPostgres === undefined)(
  "asks nobody about a payout that a webhook completes at the same moment",
  async () => {
    const database = await openPostgres?.();
    if (database === undefined) return;
    const world = await World.on(database);
    const [inner, other] = [world.store(), world.store()];
    const events: PayoutsEvent[] = [];
    let telling: Promise<void> | undefined;
    /** Records the webhook right before the payout is left to a person, unless a lock prevents that. */
    const webhook = async () => {
      telling = world.report((world.made as [Withdrawal])[0].id, { store: other });
      await Promise.race([telling, new Promise((resolve) => setTimeout(resolve, 300))]);
    };
    const store: Store = {
      ...inner,
      transaction: (work, options) =>
        inner.transaction(function* () {
          const steps = work();
          let step = steps.next();
          while (!step.done) {
            const isDecided =
              "text" in step.value && /SET state = 'needs_decision'/.test(step.value.text);
            if (isDecided && telling === undefined) yield* call(webhook);
            step = steps.next(yield step.value);
          }
          return step.value;
        }, options),
    };
    const payouts = world.open({ store, onEvent: (event) => events.push(event) });
    await payouts.migrate();
    world.fates.push("unanswered");
    await payouts.plan(order);
    await payouts.runDue();
    await world.advance(61 * minute);
    await world.sandbox.withdrawals.simulate((world.made as [Withdrawal])[0].id, "complete");
    world.answer = (_, path) =>
      path.endsWith("/withdrawals") ? new Response("down", { status: 503 }) : undefined;
    await payouts.runDue();
    expect(telling).toBeDefined();
    await telling;
    expect((await payouts.get(order.orderId))?.state).toBe("completed");
    await database.close();
  },
);

it("refuses to call a payout never sent whose withdrawal a webhook reported, but the list does not show", async () => {
  const { world, payouts, state } = await opened();
  world.fates.push("unanswered");
  await payouts.plan(order);
  await payouts.runDue();
  await world.client().withdrawals.create(order);
  for (const { id } of world.made) await world.report(id);
  world.lagMs = 60 * minute;
  await world.advance(10 * minute);
  expect(await state()).toBe("needs_decision");
  const resolving = payouts.resolve(order.orderId, { by: "ann", neverSent: true });
  await expect(resolving).rejects.toMatchObject({ code: "contradicted" });
});

it.each([
  ["unanswered", "sent"],
  ["lost", "planned"],
] as const)(
  "looks up a payout in doubt while the breaker is open, even if its key is honoured: %s",
  async (fate, end) => {
    const client = { wire: { withdrawalIdempotency: "honoured" } } as const;
    const { world, payouts, state } = await opened({ client });
    world.sandbox.withdrawalIdempotency = "honoured";
    world.fates.push(fate);
    await payouts.plan(order);
    await payouts.runDue();
    await world.store().transaction(() => inLedger("", (ledger) => ledger.stop(null, "A test.")));
    await world.live(payouts, 10 * minute, minute / 6);
    expect(await state()).toBe(end);
    expect(world.creations).toHaveLength(1);
    expect(world.listings.length).toBeLessThanOrEqual(3);
    await payouts.reopen({ by: "ann", reason: "a test" });
    await world.live(payouts);
    expect(await state()).toBe("sent");
    expect(world.made).toHaveLength(1);
  },
);

it.each(["unknown", "honoured"] as const)(
  "finds a withdrawal that another program made, with lookFirst, even where keys are %s",
  async (withdrawalIdempotency) => {
    const client = { wire: { withdrawalIdempotency } };
    const { world, payouts, state } = await opened({ lookFirst: true, client });
    const withdrawal = await world.client().withdrawals.create(order);
    await payouts.plan(order);
    await payouts.runDue();
    expect(await state()).toBe("sent");
    expect(world.made.map(({ id }) => id)).toEqual([withdrawal.id]);
  },
);
