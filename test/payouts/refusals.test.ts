import { beforeEach, describe, expect, it } from "vitest";
import type { PayoutsEvent } from "../../src/payouts/index.ts";
import { inLedger } from "../../src/payouts/journal.ts";
import { databases } from "../databases.ts";
import { minute, order, World } from "./world.ts";

const by = { by: "ann" };
const empty = { code: "insufficient_balance", message: "The wallet is empty" };
const withField = { error: { ...empty, type: "invalid_request_error", param: "chainId" } };

describe.each(databases)("refusals by the service, on %s", (_, openDatabase) => {
  let world: World;
  const events: PayoutsEvent[] = [];
  let payouts: ReturnType<World["open"]>;
  let planned: number;

  beforeEach(async () => {
    const database = await openDatabase();
    events.length = 0;
    planned = 0;
    world = await World.on(database);
    payouts = world.open({ onEvent: (event) => events.push(event) });
    await payouts.migrate();
    return () => database.close();
  });

  /** Plans payouts, each to another recipient unless one is given. */
  async function plan(count: number, recipientAddress?: string) {
    for (let n = 0; n < count; n++) {
      planned++;
      const own = `0x${String(planned).padStart(40, "a")}`;
      const payout = { ...order, orderId: `p${planned}` };
      await payouts.plan({ ...payout, recipientAddress: recipientAddress ?? own });
    }
  }

  function refuseWith(body: object | undefined) {
    world.answer = (method) =>
      method === "POST" && body ? Response.json(body, { status: 422 }) : undefined;
  }

  /** Sends all that are due. */
  async function run(body?: object) {
    refuseWith(body);
    await payouts.runDue({ concurrency: 1 });
    const { stopped, states } = await payouts.stats();
    const { planned, refused, sent } = states;
    return { isStopped: stopped !== undefined, planned, refused, sent };
  }

  it("stops all payouts after five in a row, because an empty wallet would end the others, too", async () => {
    await plan(12);
    expect(await run(empty)).toEqual({ isStopped: true, planned: 7, refused: 5, sent: 0 });
    const { stopped } = await payouts.stats();
    expect(stopped?.reason).toMatch(/^The service refused payouts to 5 recipients in a row.* p5 /);
    expect(stopped?.reason).toContain("The wallet is empty");
    expect(events).toContainEqual({ type: "stopped", tenant: "", reason: stopped?.reason });
    expect(await payouts.verify()).toMatchObject({ ok: true });
    // Reopened too early, it refuses five more.
    await payouts.reopen({ ...by, reason: "topped up" });
    expect(await run(empty)).toEqual({ isStopped: true, planned: 2, refused: 10, sent: 0 });
    await payouts.reopen({ ...by, reason: "topped up" });
    expect(await run()).toEqual({ isStopped: false, planned: 0, refused: 10, sent: 2 });
    expect(await payouts.verify()).toMatchObject({ ok: true });
  });

  it("goes on if a withdrawal was created between them", async () => {
    for (let n = 0; n < 3; n++) {
      await plan(4);
      expect(await run(empty)).toMatchObject({ isStopped: false, planned: 0 });
      await plan(1);
      expect(await run()).toMatchObject({ isStopped: false, planned: 0 });
    }
    await plan(5);
    expect(await run(empty)).toEqual({ isStopped: true, planned: 0, refused: 17, sent: 3 });
  });

  it("does not count those with an error about one of their fields, nor those of an approver", async () => {
    await plan(4);
    expect(await run(empty)).toMatchObject({ isStopped: false, refused: 4 });
    await plan(6);
    expect(await run(withField)).toMatchObject({ isStopped: false, refused: 10 });
    await plan(1);
    await payouts.reject("p11", by);
    await plan(1);
    expect(await run(empty)).toMatchObject({ isStopped: true, refused: 12 });
  });

  it("counts one recipient once, so that nobody can stop all payouts with an address", async () => {
    await plan(8, order.recipientAddress);
    expect(await run(empty)).toMatchObject({ isStopped: false, refused: 8 });
    await plan(4);
    expect(await run(empty)).toMatchObject({ isStopped: true, refused: 12 });
  });

  it("counts none that an older settlekit recorded", async () => {
    await plan(4);
    await run(withField);
    // Its entries do not say whether the service named a field.
    await world.store().transaction(() =>
      inLedger("", function* (ledger) {
        yield* ledger.lock();
        for (let n = 1; n <= 4; n++) ledger.note(`p${n}`, "refused", { problem: "Too little" });
      }),
    );
    await plan(4);
    expect(await run(empty)).toMatchObject({ isStopped: false, refused: 8 });
  });

  it("counts those of all processes, even if they arrive at the same time, and stops them once", async () => {
    const others = world.open();
    await plan(5);
    const arrived = Promise.withResolvers<void>();
    let requests = 0;
    world.answer = (method) => {
      if (method !== "POST") return undefined;
      if (++requests === 5) arrived.resolve();
      const body = new ReadableStream({
        async pull(controller) {
          await arrived.promise;
          controller.enqueue(new TextEncoder().encode(JSON.stringify(empty)));
          controller.close();
        },
      });
      return new Response(body, { status: 422 });
    };
    await Promise.all([payouts.runDue({ concurrency: 2 }), others.runDue({ concurrency: 3 })]);
    expect(await payouts.stats()).toMatchObject({
      states: { refused: 5 },
      stopped: { reason: expect.stringContaining("5 recipients") },
    });
    let stops = 0;
    for await (const { event } of payouts.journal()) if (event === "stopped") stops++;
    expect(stops).toBe(1);
    expect(await payouts.verify()).toMatchObject({ ok: true });
  });

  it("keeps those of several merchants apart", async () => {
    const other = world.open({ tenant: "other" });
    await plan(4);
    expect(await run(empty)).toMatchObject({ isStopped: false, refused: 4 });
    await other.plan(order);
    await other.runDue();
    expect(await other.stats()).toMatchObject({ stopped: undefined, states: { refused: 1 } });
    await plan(1);
    expect(await run(empty)).toMatchObject({ isStopped: true, refused: 5 });
  });
});

describe("a refused key does not undo a payout's new state", () => {
  /** The payout, whose request is refused after something else happened. */
  async function refusedAfter(
    happens: (world: World, payouts: ReturnType<World["open"]>) => Promise<void>,
  ) {
    const world: World = World.inMemory();
    const answer = async (request: Request) => {
      if (request.method === "GET") return world.sandbox.fetch(request);
      await happens(world, payouts);
      return Response.json({ code: "unauthorized", message: "No" }, { status: 401 });
    };
    const fetch = (url: string, init: unknown) => answer(new Request(url, init as RequestInit));
    const payouts = world.open({ client: { fetch } });
    await payouts.migrate();
    await payouts.plan(order);
    await payouts.runDue();
    return payouts.get(order.orderId);
  }

  it("when a webhook has reported a withdrawal that another program made", async () => {
    const payout = await refusedAfter(async (world) => {
      const { id } = await world.client().withdrawals.create(order);
      await world.report(id);
    });
    expect(payout?.state).toBe("sent");
  });

  it("when another worker has claimed it since a webhook reported its withdrawal", async () => {
    const payout = await refusedAfter(async (world) => {
      const { id } = await world.client().withdrawals.create(order);
      await world.report(id);
      await world.advance(minute);
      world.answer = () => new Response("down", { status: 503 });
      expect(await world.open().runDue()).toBe(1);
    });
    expect(payout?.state).toBe("sent");
  });

  it("when a person has decided that it is a withdrawal with another amount", async () => {
    const payout = await refusedAfter(async (world, payouts) => {
      const made = await world.client().withdrawals.create({ ...order, amountInCents: 700 });
      await world.report(made.id);
      const decision = { by: "ann", withdrawalId: made.id, acceptDifferences: true };
      expect((await payouts.resolve(order.orderId, decision)).state).toBe("sent");
    });
    expect(payout?.state).toBe("sent");
  });
});
