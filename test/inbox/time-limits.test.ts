import { afterEach, describe, expect, vi } from "vitest";
import { stopTime } from "../stop-time.ts";
import { insert } from "./insert.ts";
import { clock, type Shop, ship, shops } from "./shop.ts";

describe.each(shops)("an inbox on %s", (name, it) => {
  afterEach(() => void vi.useRealTimers());

  /** Advances the processes' clock until the promise settles. */
  const passUntil = async (shop: Shop, done: Promise<unknown>) => {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    done.then(end, end);
    while (!isDone) await shop.pass(250);
    await done;
  };

  const rows = (shop: Shop, table: string) => shop.query(`SELECT * FROM {${table}}`);
  /** Advances the database's clock in the effect's transaction. */
  const takeTime = (tx: unknown, ms: number) => {
    const { exec, query } = tx as Record<"exec" | "query", (text: string) => unknown>;
    return (exec ?? query).call(tx, `UPDATE test_clock SET ms = ms + ${ms}`) as undefined;
  };

  const shipped = (shop: Shop, ...orders: string[]) =>
    vi.waitFor(async () => expect(await shop.shipments()).toEqual(orders));

  describe("with a slow effect", () => {
    it("rolls it back after its lease, and says why instead of being fenced", async ({ shop }) => {
      shop.inbox.on("payment", "slow", {}, (tx) => takeTime(tx, 30_001));
      ship(shop.inbox);
      await shop.paid("order_1");
      await shop.inbox.settleDue();
      expect(shop.told("fenced")).toEqual([]);
      expect(shop.told("retried")).toMatchObject([
        {
          error: {
            code: "effect_timeout",
            message:
              "The effect slow took longer than 30 s, the longest that a worker may hold a payment, so it was rolled back. " +
              "Do slow work in a task, with after().",
          },
        },
      ]);
      expect(await rows(shop, "inbox_effects")).toMatchObject([{ effect: "ship" }]);
    });

    it("commits if it takes its whole lease, however long the service took to answer", async ({
      shop,
    }) => {
      const get = shop.client.payments.get.bind(shop.client.payments);
      vi.spyOn(shop.client.payments, "get").mockImplementationOnce((async (id: string) => {
        await shop.advance(14_000);
        return get(id);
      }) as never);
      shop.inbox.on("payment", "slow", {}, (tx) => takeTime(tx, 30_000));
      await shop.paid("order_1");
      await shop.inbox.settleDue();
      expect(shop.told("settled")).toMatchObject([{ effects: ["slow"] }]);
    });
  });

  it("renews the lease of the payment between its effects, and no other lease", async ({
    shop,
  }) => {
    ship(shop.inbox);
    shop.inbox.on("payment", "thank", {}, () => undefined);
    const left = await shop.paid("left");
    await shop.query(
      `UPDATE {inbox_subjects} SET fence = 1, lease_until = ${clock} + 10000 WHERE subject = '${left}'`,
    );
    await shop.paid("order_1");
    await shop.inbox.settleDue();
    await shop.advance(10_000);
    await shop.inbox.settleDue();
    expect(await shop.shipments()).toEqual(["left", "order_1"]);
  });

  it("does not exceed its concurrency for a suspect", async ({ shop }) => {
    const hanging = Promise.withResolvers<never>();
    const get = vi.spyOn(shop.client.payments, "get").mockReturnValue(hanging.promise as never);
    for (const orderId of ["order_1", "suspect"]) await shop.paid(orderId);
    const suspect = "SELECT max(id) FROM {inbox_subjects}";
    await shop.query(`UPDATE {inbox_subjects} SET starts = 1 WHERE id = (${suspect})`);
    stopTime();
    await using _worker = shop.inbox.start({ reconcileEvery: false, concurrency: 1 });
    await shop.pass(62_000);
    expect(get).toHaveBeenCalledOnce();
    hanging.reject(new Error("The service is down."));
  });

  // An effect on SQLite is synchronous, and nothing can interrupt it.
  if (name !== "SQLite")
    it("interrupts a hanging effect when its lease ends, and continues", async ({ shop }) => {
      const entered = Promise.withResolvers<void>();
      let hangs = true;
      shop.inbox.on("payment", "ship", { states: ["completed"] }, (async (
        tx: unknown,
        payment: { orderId?: string | null },
      ) => {
        await insert(tx, "shipments", payment.orderId ?? null, "");
        if (payment.orderId !== "hanging" || !hangs) return;
        entered.resolve();
        await new Promise(() => {});
      }) as never);
      const id = await shop.paid("hanging");
      await shop.advance(1);
      await shop.paid("order_1");
      stopTime();
      const settling = shop.inbox.settleDue({ concurrency: 1 });
      await entered.promise;
      vi.advanceTimersByTime(31_000);
      await settling;
      expect(await shop.shipments()).toEqual(["order_1"]);
      expect(shop.told("retried")).toMatchObject([{ id, error: { code: "effect_timeout" } }]);
      hangs = false;
      // A renewal in flight may keep the row locked for a moment.
      await shop.pass(250);
      await shop.advance(10_000);
      await shop.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["hanging", "order_1"]);
    });

  describe("with a long-running task", () => {
    let entered: PromiseWithResolvers<void>;
    let leave: PromiseWithResolvers<void>;
    let big: string;
    it.beforeEach(async ({ shop }) => {
      entered = Promise.withResolvers();
      leave = Promise.withResolvers();
      ship(shop.inbox);
      shop.inbox.on("payment", "import", { states: ["completed"] }, (_tx, payment, { after }) => {
        if (payment.orderId === "big") after("import");
      });
      shop.inbox.task("import", async (_payload, { signal }) => {
        entered.resolve();
        const aborted = new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
        await Promise.race([leave.promise, aborted]);
      });
      big = await shop.paid("big");
    });

    const plan = (shop: Shop, name: string) =>
      shop.query(
        `INSERT INTO {inbox_tasks}
  (tenant, name, task_key, payload, created_at, due_at) VALUES ('', '${name}', '${name}', 'null', 0, 0)`,
      );
    const task = async (shop: Shop) => {
      const [row] = await rows(shop, "inbox_tasks");
      return { starts: Number(row?.starts), leaseUntil: Number(row?.lease_until) };
    };

    it("resumes work that another worker never finished", async ({ shop }) => {
      const id = await shop.paid("left");
      await shop.query(
        `UPDATE {inbox_subjects} SET starts = 1, lease_until = due_at + 1000
WHERE subject = '${id}'`,
      );
      stopTime();
      await using _worker = shop.inbox.start({ reconcileEvery: false });
      await passUntil(shop, entered.promise);
      await shipped(shop, "big");
      await shop.advance(1_001);
      await shop.pass(31_000);
      await shipped(shop, "big", "left");
      expect(await rows(shop, "inbox_tasks")).toHaveLength(1);
      leave.resolve();
    });

    it("runs a suspect alone for the length of a lease, then clears it and continues", async ({
      shop,
    }) => {
      await shop.inbox.settle({ kind: "payment", id: big });
      await shop.query("UPDATE {inbox_tasks} SET starts = 1");
      await shop.paid("order_1");
      stopTime();
      await using _worker = shop.inbox.start({ reconcileEvery: false });
      await passUntil(shop, entered.promise);
      await shipped(shop, "big", "order_1");
      await shop.pass(31_000);
      await shop.paid("order_2");
      await shipped(shop, "big", "order_1", "order_2");
      await vi.waitFor(async () => expect((await task(shop)).starts).toBe(0));
      leave.resolve();
    });

    it("is not taken by another worker, however long it runs", async ({ shop }) => {
      stopTime();
      await using _worker = shop.inbox.start({ reconcileEvery: false });
      await passUntil(shop, entered.promise);
      for (let n = 0; n < 3; n++) {
        await shop.advance(10_000);
        await shop.pass(10_000);
      }
      const other = shop.openProcess();
      other.inbox.task("import", () => {});
      const claimed = await other.inbox.settleDue();
      leave.resolve();
      expect(claimed).toBe(0);
    });

    it("aborts its signal once another worker has it", async ({ shop }) => {
      const taken = Promise.withResolvers<void>();
      const aborted = Promise.withResolvers<void>();
      shop.inbox.task("mine", (_payload, { signal }) => {
        signal.addEventListener("abort", () => aborted.resolve());
        entered.resolve();
        return leave.promise;
      });
      const other = shop.openProcess();
      other.inbox.task("mine", () => {
        taken.resolve();
        return leave.promise;
      });
      await shop.query("UPDATE {inbox_subjects} SET seen = news");
      await plan(shop, "mine");
      stopTime();
      const settling = [shop.inbox.settleDue()];
      await passUntil(shop, entered.promise);
      await shop.advance(30_001);
      settling.push(other.inbox.settleDue());
      await passUntil(shop, taken.promise);
      await passUntil(shop, aborted.promise);
      leave.resolve();
      await passUntil(shop, Promise.all(settling));
      expect(shop.told("fenced")).toHaveLength(1);
      expect(other.told("settled")).toMatchObject([{ kind: "task", id: "mine" }]);
    });

    it("releases it when stopped, so that it runs again", async ({ shop }) => {
      stopTime();
      const worker = shop.inbox.start({ reconcileEvery: false, drainMs: 1_000 });
      await passUntil(shop, entered.promise);
      await shop.pass(31_000);
      await vi.waitFor(async () => expect((await task(shop)).starts).toBe(0));
      await passUntil(shop, worker.stop());
      vi.useRealTimers();
      await vi.waitFor(async () => expect(await task(shop)).toEqual({ starts: 0, leaseUntil: 0 }));
      leave.resolve();
      await vi.waitFor(async () => {
        // A renewal in flight may keep the row locked for a moment.
        await shop.inbox.settleDue();
        expect(await rows(shop, "inbox_tasks")).toEqual([]);
      });
    });

    it("leaves it to other workers when stopped, even if the task ignores that", async ({
      shop,
    }) => {
      let hangs = true;
      shop.inbox.task("deaf", async () => {
        entered.resolve();
        if (hangs) await leave.promise;
      });
      await shop.query("UPDATE {inbox_subjects} SET seen = news");
      await plan(shop, "deaf");
      stopTime();
      const worker = shop.inbox.start({ reconcileEvery: false, drainMs: 1_000 });
      await passUntil(shop, entered.promise);
      await passUntil(shop, worker.stop());
      // A pool has timers of its own.
      if (name === "SQLite") expect(vi.getTimerCount()).toBe(0);
      await shop.advance(30_001);
      await shop.pass(31_000);
      vi.useRealTimers();
      hangs = false;
      await shop.inbox.settleDue();
      expect(await rows(shop, "inbox_tasks")).toEqual([]);
      leave.resolve();
    });

    it("leaves other work to other workers when it is full, and reports that", async ({ shop }) => {
      await shop.inbox.settle({ kind: "payment", id: big });
      stopTime();
      await using _worker = shop.inbox.start({ reconcileEvery: false, concurrency: 1 });
      await passUntil(shop, entered.promise);
      await shop.paid("order_1");
      const told = () => shop.told("failed").map(({ error }) => error);
      await shop.pass(31_000);
      expect(told()).toMatchObject([{ code: "worker_full" }]);
      await shop.pass(31_000);
      expect(told()).toHaveLength(1);
      expect(String(told()[0])).toMatch(
        /still running task \/payment\/\S+ \(for \d+ s\)\. Find out/,
      );
      const other = shop.openProcess();
      ship(other.inbox);
      await other.inbox.settleDue();
      expect(await shop.shipments()).toEqual(["big", "order_1"]);
      leave.resolve();
    });
  });
});
