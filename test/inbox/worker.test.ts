import { describe, expect, onTestFinished, vi } from "vitest";
import type { Store } from "../../src/stores/store.ts";
import { insert } from "./insert.ts";
import { clock, type Shop, ship, shops } from "./shop.ts";

describe.each(shops)("a worker on %s", (_, it) => {
  /** Holds the next read of a payment, once the service has responded, until it is released. */
  function holdNextRead(shop: Shop) {
    const { payments } = shop.client;
    const get = payments.get.bind(payments);
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read = vi.spyOn(payments, "get").mockImplementationOnce((async (id: string) => {
      const payment = await get(id);
      held.resolve();
      await released.promise;
      return payment;
    }) as never);
    return { read, held: held.promise, release: released.resolve };
  }

  /** A process that dies while it reads what it has claimed, and renews nothing. Its leases end. */
  async function crash(shop: Shop) {
    const death = Promise.withResolvers<never>();
    const get = vi.fn(() => death.promise);
    const client = { payments: { get }, withdrawals: {} } as never;
    const store = shop.database.open({ clock });
    let isDead = false;
    const transaction: Store["transaction"] = (...work) =>
      isDead ? death.promise : store.transaction(...work);
    const { inbox } = shop.openProcess({ client, store: { ...store, transaction } });
    const end = new AbortController();
    onTestFinished(() => {
      end.abort();
      death.reject(new Error("The process has died."));
    });
    inbox.settleDue({ signal: end.signal }).catch(() => {});
    await vi.waitFor(() => expect(get).toHaveBeenCalled());
    isDead = true;
    await shop.advance(30_001);
  }

  it("is woken by a webhook and ships", async ({ shop }) => {
    ship(shop.inbox);
    await using _worker = shop.inbox.start({ pollMs: 60_000 });
    await shop.paid("order_1");
    await vi.waitFor(async () => expect(await shop.shipments()).toEqual(["order_1"]));
  });

  it("runs the tasks of its effects without waiting for the next poll", async ({ shop }) => {
    const ran: string[] = [];
    let onRun = () => {};
    shop.inbox.task("mail", (orderId: string) => {
      ran.push(orderId);
      onRun();
    });
    shop.inbox.on("payment", "ship", { states: ["completed"] }, (_tx, payment, { after }) =>
      after("mail", payment.orderId),
    );
    await using _worker = shop.inbox.start({ pollMs: 2_147_483_647, reconcileEvery: false });
    for (const orderId of ["order_1", "order_2", "order_3"]) {
      const run = Promise.withResolvers<void>();
      onRun = run.resolve;
      await shop.paid(orderId);
      await run.promise;
    }
    expect(ran).toEqual(["order_1", "order_2", "order_3"]);
  });

  it("processes a subject again at once if it changed in the meantime", async ({ shop }) => {
    const { read, held, release } = holdNextRead(shop);
    ship(shop.inbox);
    await using _worker = shop.inbox.start({ pollMs: 2_147_483_647, reconcileEvery: false });
    const paymentId = await shop.paid("order_1");
    await held;
    expect(await shop.inbox.settle({ kind: "payment", id: paymentId })).toBe(false);
    release();
    await vi.waitFor(() => expect(read).toHaveBeenCalledTimes(2));
  });

  it("cannot be started twice, but can be restarted after it was stopped", async ({ shop }) => {
    const worker = shop.inbox.start();
    expect(() => shop.inbox.start()).toThrow(
      /while a worker of this inbox is running. Stop it first/,
    );
    expect(() => ship(shop.inbox)).toThrow(/Register everything before inbox.start/);
    await worker.stop();
    await worker.stop();
    ship(shop.inbox);
    await shop.inbox.start().stop();
  });

  it("refuses invalid options", ({ shop }) => {
    expect(() => shop.inbox.start({ concurrency: 0 })).toThrow(
      /concurrency must be a whole number/,
    );
    expect(() => shop.inbox.start({ drainMs: Number.MAX_SAFE_INTEGER })).toThrow(
      /drainMs must be a whole number, from 0 to 2147483647, got 9007199254740991/,
    );
    // After failures, the wait is 30 times as long, which is more than a timer can take.
    expect(() => shop.inbox.start({ pollMs: 2_147_483_648 })).toThrow(
      /pollMs .* from 1 to 2147483647/,
    );
    for (const reconcileEvery of ["soon", "500ms", "1", 0, -1, 1500.5, Number.NaN, true, null]) {
      expect(() => shop.inbox.start({ reconcileEvery: reconcileEvery as never })).toThrow(
        expect.objectContaining({
          name: "ConfigurationError",
          param: "reconcileEvery",
          message: expect.stringContaining("reconcileEvery must be false or at least a second"),
        }),
      );
    }
  });

  it("reports missing tables, and starts once they exist", async ({ shop }) => {
    await shop.paid("order_1");
    await shop.query("CREATE TABLE kept AS SELECT * FROM {migrations}; DROP TABLE {migrations}");
    ship(shop.inbox);
    await using _worker = shop.inbox.start({ pollMs: 1 });
    await expect.poll(() => shop.told("failed")[0]?.error).toMatchObject({ code: "not_migrated" });
    await shop.query("CREATE TABLE {migrations} AS SELECT * FROM kept");
    await vi.waitFor(async () => expect(await shop.shipments()).toHaveLength(1));
  });

  it("resumes work that another worker never finished, even if the queue is full", async ({
    shop,
  }) => {
    ship(shop.inbox);
    const left = await shop.paid("order_left");
    await crash(shop);
    // More than are claimed at once.
    for (let n = 0; n < 40; n++) await shop.paid(`order_${n}`);
    await shop.inbox.settleDue();
    const settled = shop.told("settled").map(({ id }) => id);
    expect(settled).toHaveLength(41);
    expect(settled.indexOf(left)).toBe(32);
  });

  it("finishes running work when it is stopped, and releases the rest", async ({ shop }) => {
    const { held, release } = holdNextRead(shop);
    ship(shop.inbox);
    await shop.paid("order_1");
    await shop.paid("order_2");
    const worker = shop.inbox.start({ concurrency: 1, reconcileEvery: false });
    await held;
    const stopping = worker.stop();
    release();
    await stopping;
    expect(await shop.shipments()).toHaveLength(1);
    const [rest] = await shop.query(
      "SELECT starts, lease_until FROM {inbox_subjects} WHERE news > seen",
    );
    expect([Number(rest?.starts), Number(rest?.lease_until)]).toEqual([0, 0]);
  });

  it("waits for as long as drainMs allows", async ({ shop }) => {
    const entered = Promise.withResolvers<AbortSignal>();
    const leave = Promise.withResolvers<void>();
    shop.inbox.task("wait", (_payload, { signal }) => {
      entered.resolve(signal);
      return leave.promise;
    });
    shop.inbox.on("payment", "ship", {}, (_tx, _payment, tools) => tools.after("wait"));
    await shop.paid("order_1");
    const worker = shop.inbox.start({
      drainMs: 2 ** 31 - 1,
      pollMs: 2_147_483_647,
      reconcileEvery: "365d",
    });
    const signal = await entered.promise;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stopping = worker.stop();
    vi.advanceTimersByTime(2 ** 31 - 2);
    vi.useRealTimers();
    expect(signal.aborted).toBe(false);
    leave.resolve();
    await stopping;
  });

  it("aborts work that does not finish within drainMs, and releases it", async ({ shop }) => {
    const entered = Promise.withResolvers<void>();
    shop.inbox.task("wait", async (_payload, { signal }) => {
      entered.resolve();
      await new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason)),
      );
    });
    shop.inbox.on("payment", "ship", {}, (_tx, _payment, tools) => tools.after("wait"));
    await shop.paid("order_1");
    const worker = shop.inbox.start({ drainMs: 1 });
    await entered.promise;
    await worker.stop();
    // `stop` does not wait for a database that takes longer than a second to release it.
    await vi.waitFor(async () => {
      const [task] = await shop.query("SELECT failures, starts FROM {inbox_tasks}");
      expect([Number(task?.failures), Number(task?.starts)]).toEqual([0, 0]);
    });
  });

  it.for([
    ["a worker", ["ship"]],
    ["a worker", ["ship", "thank"]],
    ["settle", ["ship"]],
  ] as const)(
    "commits nothing while %s has the payment, with the effects %j",
    async ([by, names], { shop }) => {
      const late = shop.openProcess();
      for (const { inbox } of [late, shop]) {
        for (const name of names) {
          inbox.on("payment", name, {}, (tx) => insert(tx, "shipments", name, "") as undefined);
        }
      }
      await shop.inbox.settleDue();
      await shop.paid("order_1");
      const get = shop.client.payments.get.bind(shop.client.payments);
      let other = { release: () => {}, settling: Promise.resolve<unknown>(0) };
      vi.spyOn(shop.client.payments, "get").mockImplementationOnce((async (id: string) => {
        await shop.advance(30_001);
        const { held, release } = holdNextRead(shop);
        const { inbox } = shop;
        const settling =
          by === "settle" ? inbox.settle({ kind: "payment", id }) : inbox.settleDue();
        other = { release, settling };
        await held;
        return get(id);
      }) as never);
      await late.inbox.settleDue();
      expect(late.told("fenced")).toHaveLength(1);
      expect(await shop.shipments()).toEqual([]);
      other.release();
      await other.settling;
      expect(await shop.shipments()).toEqual(names);
    },
  );

  it("commits nothing after its lease expired, even if no other worker took over", async ({
    shop,
  }) => {
    ship(shop.inbox);
    await shop.paid("order_1");
    const get = shop.client.payments.get.bind(shop.client.payments);
    vi.spyOn(shop.client.payments, "get").mockImplementationOnce((async (id: string) => {
      await shop.advance(30_001);
      return get(id);
    }) as never);
    await shop.inbox.settleDue();
    expect(shop.told("fenced")).toHaveLength(1);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
  });

  it("parks a subject that never finishes at the third start, but not its neighbours", async ({
    shop,
  }) => {
    ship(shop.inbox);
    const killer = await shop.paid("killer");
    await shop.paid("order_1");
    for (let n = 0; n < 3; n++) await crash(shop);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["order_1"]);
    const reason = "Its worker failed to finish 3 times: it may be killing the process.";
    expect(await shop.inbox.parked()).toMatchObject([{ subject: killer, reason }]);
    expect(shop.told("parked")).toMatchObject([{ id: killer, reason }]);
  });

  it("parks a subject that kills processes, although an operator retried it in between", async ({
    shop,
  }) => {
    let fails = true;
    shop.inbox.on("payment", "ship", {}, () => {
      if (fails) throw new Error("out of stock");
    });
    const killer = await shop.paid("killer");
    await shop.inbox.settleDue();
    fails = false;
    await shop.advance(10_000);
    for (let n = 0; n < 2; n++) await crash(shop);
    expect(await shop.inbox.retryAll()).toBe(1);
    await crash(shop);
    await shop.inbox.settleDue();
    expect(await shop.inbox.parked()).toMatchObject([{ subject: killer }]);
  });

  it("isolates a subject that may have killed a process", async ({ shop }) => {
    let running = 0;
    let most = 0;
    const get = shop.client.payments.get.bind(shop.client.payments);
    vi.spyOn(shop.client.payments, "get").mockImplementation((async (id: string) => {
      most = Math.max(most, ++running);
      const answer = await get(id);
      running--;
      return answer;
    }) as never);
    ship(shop.inbox);
    for (let n = 0; n < 4; n++) await shop.paid(`order_${n}`);
    await crash(shop);
    await shop.inbox.settleDue();
    expect(most).toBe(1);
    expect(await shop.shipments()).toHaveLength(4);
  });
});
